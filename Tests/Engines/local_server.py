"""What the HTTP servers of tests share: quiet, of HTTP 1.1, and over when their standard input ends."""

import http.server
import os
import sys
import threading


class QuietHandler(http.server.BaseHTTPRequestHandler):
    """Says nothing of requests and of connections that break."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def handle_one_request(self):
        try:
            super().handle_one_request()
        except (ConnectionError, ValueError):
            self.close_connection = True


class QuietServer(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        pass


def serve(handler, port=0):
    """Prints the port, and serves until standard input ends. Ends the process."""
    server = QuietServer(("127.0.0.1", port), handler)
    print(server.server_port, flush=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    sys.stdin.read()
    os._exit(0)
