#include "peers.h"

#include "supported.h"

#if OPTRACE_STACKS && defined(__linux__)

#include <dirent.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

enum { most_files = 4096 };

static bool is_timed(int file) {
  const int options[] = {SO_RCVTIMEO, SO_SNDTIMEO};
  for (int i = 0; i < 2; i++) {
    struct timeval limit = {0};
    socklen_t size = sizeof limit;
    if (getsockopt(file, SOL_SOCKET, options[i], &limit, &size) != 0 || limit.tv_sec || limit.tv_usec) return true;
  }
  return false;
}

static int family_of(int file) {
  int family = 0;
  socklen_t size = sizeof family;
  return getsockopt(file, SOL_SOCKET, SO_DOMAIN, &family, &size) == 0 ? family : 0;
}

// ---- Unix sockets ------------------------------------------------------------------------------------------------------

static bool ask(int file, uint64_t inode) {
  struct {
    struct nlmsghdr header;
    struct unix_diag_req asked;
  } message = {
    .header = {.nlmsg_len = sizeof message, .nlmsg_type = SOCK_DIAG_BY_FAMILY, .nlmsg_flags = NLM_F_REQUEST},
    .asked = {.sdiag_family = AF_UNIX, .udiag_states = UINT32_MAX, .udiag_ino = (uint32_t)inode, .udiag_show = UDIAG_SHOW_PEER,
              .udiag_cookie = {UINT32_MAX, UINT32_MAX}},
  };
  return send(file, &message, sizeof message, 0) == (ssize_t)sizeof message;
}

static uint64_t peer_in(const char *bytes, size_t count) {
  struct nlmsghdr header;
  struct rtattr attribute;
  if (count < sizeof header) return 0;
  memcpy(&header, bytes, sizeof header);
  if (header.nlmsg_type != SOCK_DIAG_BY_FAMILY || header.nlmsg_len > count) return 0;
  for (size_t at = NLMSG_LENGTH(sizeof(struct unix_diag_msg)); at + sizeof attribute <= header.nlmsg_len;) {
    memcpy(&attribute, bytes + at, sizeof attribute);
    uint32_t peer;
    if (attribute.rta_type == UNIX_DIAG_PEER && attribute.rta_len >= RTA_LENGTH(sizeof peer) && at + RTA_LENGTH(sizeof peer) <= count) {
      memcpy(&peer, bytes + at + RTA_LENGTH(0), sizeof peer);
      return peer;
    }
    if (attribute.rta_len < sizeof attribute) return 0;
    at += RTA_ALIGN(attribute.rta_len);
  }
  return 0;
}

uint64_t peer_of_unix(uint64_t inode) {
  _Alignas(8) char bytes[1024];
  if (!inode || inode > UINT32_MAX) return 0;
  int file = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
  if (file < 0) return 0;
  // The kernel answers within the call.
  ssize_t count = ask(file, inode) ? recv(file, bytes, sizeof bytes, MSG_DONTWAIT) : 0;
  close(file);
  return count > 0 ? peer_in(bytes, (size_t)count) : 0;
}

// ---- TCP ---------------------------------------------------------------------------------------------------------------

typedef struct {
  struct sockaddr_storage address;
  socklen_t size;
} place;

static bool ends_of(int file, place *own, place *other) {
  memset(own, 0, sizeof *own);
  memset(other, 0, sizeof *other);
  own->size = other->size = sizeof own->address;
  return getsockname(file, (struct sockaddr *)&own->address, &own->size) == 0 &&
         getpeername(file, (struct sockaddr *)&other->address, &other->size) == 0;
}

static bool is_same(const place *one, const place *other) {
  return one->size == other->size && memcmp(&one->address, &other->address, one->size) == 0;
}

static uint16_t port_of(const place *at) {
  return at->address.ss_family == AF_INET ? ((const struct sockaddr_in *)&at->address)->sin_port
                                          : ((const struct sockaddr_in6 *)&at->address)->sin6_port;
}

// Whether a connection waits to be accepted, and only here.
static bool has_pending(int file) {
  struct tcp_info info = {0};
  int is_shared = 0;
  socklen_t size = sizeof info, length = sizeof is_shared;
  if (getsockopt(file, SOL_SOCKET, SO_REUSEPORT, &is_shared, &length) != 0 || is_shared) return false;
  // For a socket that listens this is the number of those connections.
  return getsockopt(file, IPPROTO_TCP, TCP_INFO, &info, &size) == 0 && info.tcpi_unacked > 0;
}

static bool is_for_ipv6_only(int file) {
  int is = 0;
  socklen_t size = sizeof is;
  return getsockopt(file, IPPROTO_IPV6, IPV6_V6ONLY, &is, &size) != 0 || is;
}

// Whether connections to `to` come to this socket, which listens at that address, or at all addresses.
static bool listens_at(int file, const place *to) {
  place at = {.size = sizeof at.address};
  int listens = 0;
  socklen_t size = sizeof listens;
  if (getsockopt(file, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) != 0 || !listens || !has_pending(file)) return false;
  memset(&at.address, 0, sizeof at.address);
  if (getsockname(file, (struct sockaddr *)&at.address, &at.size) != 0 || port_of(&at) != port_of(to)) return false;
  static const struct in6_addr any = IN6ADDR_ANY_INIT;
  if (at.address.ss_family == AF_INET6 && memcmp(&((struct sockaddr_in6 *)&at.address)->sin6_addr, &any, sizeof any) == 0)
    return to->address.ss_family == AF_INET6 || !is_for_ipv6_only(file);
  if (at.address.ss_family != to->address.ss_family) return false;
  if (at.address.ss_family == AF_INET6) return is_same(&at, to);
  uint32_t address = ((struct sockaddr_in *)&at.address)->sin_addr.s_addr;
  return address == htonl(INADDR_ANY) || address == ((const struct sockaddr_in *)&to->address)->sin_addr.s_addr;
}

static bool is_loopback(const place *at) {
  if (at->address.ss_family == AF_INET) return ntohl(((const struct sockaddr_in *)&at->address)->sin_addr.s_addr) >> 24 == 127;
  const struct in6_addr *address = &((const struct sockaddr_in6 *)&at->address)->sin6_addr;
  return IN6_IS_ADDR_LOOPBACK(address) || (IN6_IS_ADDR_V4MAPPED(address) && address->s6_addr[12] == 127);
}

static bool is_same_host(const place *one, const place *other) {
  if (is_loopback(one) && is_loopback(other)) return true;
  if (one->address.ss_family != other->address.ss_family) return false;
  if (one->address.ss_family == AF_INET)
    return ((const struct sockaddr_in *)&one->address)->sin_addr.s_addr == ((const struct sockaddr_in *)&other->address)->sin_addr.s_addr;
  return memcmp(&((const struct sockaddr_in6 *)&one->address)->sin6_addr, &((const struct sockaddr_in6 *)&other->address)->sin6_addr,
                sizeof(struct in6_addr)) == 0;
}

static uint64_t peer_in_this_process(int file) {
  place own, other;
  uint64_t found = 0, listening = 0;
  int count = 0;
  // Mostly it is another machine. Connections of a process to itself have the same address at both ends.
  if (!ends_of(file, &own, &other) || !is_same_host(&own, &other)) return 0;
  DIR *folder = opendir("/proc/self/fd");
  for (const struct dirent *one; folder && !found && count++ < most_files && (one = readdir(folder));) {
    int candidate = (int)strtol(one->d_name, NULL, 10);
    place its, its_other;
    struct stat of;
    if (one->d_name[0] == '.' || candidate == file || candidate == dirfd(folder)) continue;
    // A connection that is not accepted yet, which another machine's address would not show to be this process's.
    if (is_loopback(&other) && listens_at(candidate, &other) && fstat(candidate, &of) == 0) listening = of.st_ino;
    if (!ends_of(candidate, &its, &its_other)) continue;
    if (is_same(&its, &other) && is_same(&its_other, &own) && fstat(candidate, &of) == 0) found = of.st_ino;
  }
  if (folder) closedir(folder);
  return found ? found : listening;
}

uint64_t peer_of(uint32_t file, uint64_t inode) {
  if (is_timed((int)file)) return 0;
  switch (family_of((int)file)) {
    case AF_UNIX: return peer_of_unix(inode);
    case AF_INET: case AF_INET6: return peer_in_this_process((int)file);
    default: return 0;
  }
}

// ---- Sockets of other processes ----------------------------------------------------------------------------------------

// A line of /proc/PID/net/tcp and its like: both ends, in hexadecimal digits, and the socket's inode.
typedef struct {
  char own[48], other[48];
  unsigned long long inode;
} connection;

static bool read_line(const char *line, connection *out) {
  return sscanf(line, " %*[0-9]: %47s %47s %*s %*s %*s %*s %*s %*s %llu", out->own, out->other, &out->inode) == 3;
}

// The first one with this inode, or, if `like` is given, the one that is its other end. False: there is none.
static bool find_connection(FILE *list, uint64_t inode, const connection *like, connection *out) {
  char line[512];
  rewind(list);
  while (fgets(line, sizeof line, list)) {
    if (!read_line(line, out)) continue;
    if (like ? strcmp(out->own, like->other) == 0 && strcmp(out->other, like->own) == 0 : out->inode == inode) return true;
  }
  return false;
}

uint64_t peer_of_other(uint32_t process, uint64_t inode) {
  static const char *const lists[] = {"tcp", "udp", "tcp6", "udp6"};
  uint64_t peer = peer_of_unix(inode);
  for (size_t i = 0; !peer && inode && i < sizeof lists / sizeof *lists; i++) {
    char path[48];
    connection own, other;
    snprintf(path, sizeof path, "/proc/%u/net/%s", process, lists[i]);
    FILE *list = fopen(path, "re");
    if (!list) continue;
    if (find_connection(list, inode, NULL, &own) && find_connection(list, 0, &own, &other)) peer = other.inode;
    fclose(list);
  }
  return peer;
}

#else

uint64_t peer_of(uint32_t file, uint64_t inode) {
  (void)file, (void)inode;
  return 0;
}

uint64_t peer_of_other(uint32_t process, uint64_t inode) {
  (void)process, (void)inode;
  return 0;
}

uint64_t peer_of_unix(uint64_t inode) {
  (void)inode;
  return 0;
}

#endif
