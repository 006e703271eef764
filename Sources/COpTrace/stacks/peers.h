// The socket at the other end of a connection, if it is on this machine.
#ifndef OPTRACE_PEERS_H
#define OPTRACE_PEERS_H

#include <stdint.h>

// Of a descriptor of this process with this inode: the inode of its peer; 0: not known, not connected, elsewhere, or a call on it has a
// time limit (SO_RCVTIMEO, SO_SNDTIMEO). A peer in TCP is found among this process's own descriptors alone. O(descriptors).
uint64_t peer_of(uint32_t file, uint64_t inode);

// Of a socket of another process with this inode, if it is a Unix socket, or connected to one on this machine. 0: as above, but that nobody
// can ask for a time limit. O(connections of its network).
uint64_t peer_of_other(uint32_t process, uint64_t inode);

// Of any Unix socket, from the kernel (sock_diag(7)); 0: not known.
uint64_t peer_of_unix(uint64_t inode);

#endif
