#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The pmtr authors
"""Asks the server of `pmtr app` many things on many connections while it puts an object together.

load.py PROGRAM EXAMPLES [REQUESTS=2000] [CONNECTIONS=50]

Fails where a request is not answered, is answered with 500, or a page differs from the first; where the assembly does
not end well; and where the server does not end when it is told to. Standard library alone.
"""
import http.client
import json
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time


def main():
    program, examples = sys.argv[1:3]
    requests = int(sys.argv[3]) if len(sys.argv) > 3 else 2000
    connections = int(sys.argv[4]) if len(sys.argv) > 4 else 50
    with tempfile.TemporaryDirectory() as folder:
        server = subprocess.Popen([program, "app", folder + "/projects", "--no-browser"], stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True)
        try:
            url = None
            for line in server.stdout:
                url = re.search(r"http://(127\.0\.0\.1:\d+)/(\w+)/", line)
                if url:
                    break
            assert url, "the server names no address"
            threading.Thread(target=lambda: [None for _ in server.stdout], daemon=True).start()
            load(url[1], "/" + url[2] + "/", pathlib.Path(examples), requests, connections, server.pid)
            server.send_signal(signal.SIGTERM)
            server.wait(30)
        finally:
            if server.poll() is None:
                server.kill()
                server.wait()


def ask(connection, method, path, body=None, host="", kind="application/json"):
    headers = {"Host": host, "Origin": "http://" + host}
    if body is not None and method == "POST":
        headers["Content-Type"] = kind
    connection.request(method, path, body, headers)
    answer = connection.getresponse()
    return answer.status, answer.read()


def resident_mb(pid):
    text = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", text)[1]) / 1024


def load(host, base, examples, requests, connections, pid):
    first = http.client.HTTPConnection(host, timeout=60)
    status, answer = ask(first, "POST", base + "api/projects", '{"name": "load"}', host)
    assert status == 200, answer
    project = json.loads(answer)["id"]
    for piece in sorted((examples / "bowl").glob("piece_*.ply")):
        status, answer = ask(first, "PUT", f"{base}api/fragment?project={project}&name={piece.name}",
                             piece.read_bytes(), host)
        assert status == 200, answer
    status, answer = ask(first, "POST", f"{base}api/project?project={project}", '{"object_size": 1}', host)
    assert status == 200, answer
    status, answer = ask(first, "POST", f"{base}api/run?project={project}", "{}", host)
    assert status == 200, answer

    paths = ["", "app.js", "app.css", "api/projects", f"api/project?project={project}", "api/project?project=none",
             f"api/thumbnail?project={project}&name=piece_0.ply", "nothing",
             f"api/file?project={project}&name=../project.json"]
    fixed = {path: ask(first, "GET", base + path, host=host)[1] for path in ("", "app.js", "app.css")}
    counts, faults, lock = {}, [], threading.Lock()

    def client(number):
        connection = http.client.HTTPConnection(host, timeout=120)
        for i in range(number, requests, connections):
            path = paths[i % len(paths)]
            # Some hang up in the middle, some come with a name that is not this host's.
            other = i % 97 == 0
            try:
                status, answer = ask(connection, "GET", base + path, host="evil.example" if other else host)
                good = status == 403 if other else status in (200, 404) and fixed.get(path, answer) == answer
                if not good:
                    faults.append(f"{path}: {status}")
            except (OSError, http.client.HTTPException) as error:
                # The server closes a connection after 100 requests; one that has just been closed is opened again.
                connection.close()
                try:
                    status, answer = ask(connection, "GET", base + path, host=host)
                except (OSError, http.client.HTTPException) as again:
                    faults.append(f"{path}: {error!r}, {again!r}")
                    continue
            with lock:
                counts[status] = counts.get(status, 0) + 1
            if i % 211 == 0:
                connection.close()

    before, begin = resident_mb(pid), time.monotonic()
    threads = [threading.Thread(target=client, args=(number,)) for number in range(connections)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    seconds, after = time.monotonic() - begin, resident_mb(pid)
    assert not faults, faults[:5]
    assert sum(counts.values()) == requests, counts
    first = http.client.HTTPConnection(host, timeout=60)  # the server gave up the silent one
    state = {}
    for _ in range(600):
        state = json.loads(ask(first, "GET", f"{base}api/project?project={project}", host=host)[1])
        if "done" in json.dumps(state.get("run", "")):
            break
        time.sleep(0.5)
    assert "done" in json.dumps(state.get("run", "")), state.get("run")
    print(f"load: {requests} requests over {connections} connections in {seconds:.1f} s while an object was put together: "
          f"{dict(sorted(counts.items()))}; server from {before:.0f} to {after:.0f} MB")


if __name__ == "__main__":
    main()
