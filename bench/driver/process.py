# SPDX-License-Identifier: Apache-2.0
"""One benchmark program, kept alive and stopped except while it is asked for a sample."""

import json
import os
import select
import signal
import subprocess
import tempfile
import time


class ProgramError(Exception):
    """The program died, hung or spoke nonsense; the message is fit for the report."""


# A person's settings for one of the runtimes would make its figures another system's.
FOREIGN_SETTINGS = ("OMP_", "GOMP_", "KMP_", "TBB_", "RAYON_", "SENNIT_", "RUST_", "STARPU_")


def clean_environment(extra=None):
    kept = {key: value for key, value in os.environ.items() if not key.startswith(FOREIGN_SETTINGS)}
    return kept | (extra or {})


class Program:
    """`command` speaks the protocol of common/program.hpp; `hello` is its first answer."""

    def __init__(self, command, timeout, environment=None):
        self._timeout = timeout
        self._buffer = b""
        self._errors = tempfile.TemporaryFile()
        try:
            self._process = subprocess.Popen(
                [*command, "--lockstep"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                env=clean_environment(environment),
            )
        except OSError as error:
            self._errors.close()
            raise ProgramError(f"cannot be started: {error.strerror}") from None
        self.hello = self._answer("warm-up")
        self._stop()

    def sample(self):
        """One timed run: {"seconds", "check", ...}."""
        os.kill(self._process.pid, signal.SIGCONT)
        try:
            self._process.stdin.write(b"go\n")
            self._process.stdin.flush()
        except OSError:
            pass  # it is dead, and the missing answer will tell how it died
        answer = self._answer("sample")
        if not isinstance(answer.get("seconds"), (int, float)) or not isinstance(answer.get("check"), int):
            self._fail(f"answered {json.dumps(answer)[:60]} where seconds and check are due")
        self._stop()
        return answer

    def finish(self):
        """Ends the program and gives its peak memory in MiB."""
        os.kill(self._process.pid, signal.SIGCONT)
        self._process.stdin.close()
        peak = self._answer("peak memory").get("peak_mib")
        self._ended()
        if self._process.returncode != 0:
            self._fail(self._death())
        self.kill()
        return peak

    def kill(self):
        """Leaves nothing of the program; harmless when it has ended."""
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()
        for file in (self._process.stdin, self._process.stdout, self._errors):
            try:
                file.close()
            except OSError:
                pass  # unsent words for a dead program

    def _fail(self, why):
        self.kill()
        raise ProgramError(why)

    def _stop(self):
        # So that no idle pool, however long it spins, takes time from the system measured next.
        os.kill(self._process.pid, signal.SIGSTOP)
        try:
            os.waitid(os.P_PID, self._process.pid, os.WSTOPPED)
        except ChildProcessError:
            pass  # it has ended instead, which the next question will show

    def _answer(self, what):
        line = self._line(what)
        try:
            answer = json.loads(line)
        except ValueError:
            answer = None
        if not isinstance(answer, dict):
            self._fail(f"answered '{line.decode(errors='replace')[:60]}', which is not a JSON object")
        return answer

    def _line(self, what):
        deadline = time.monotonic() + self._timeout
        output = self._process.stdout.fileno()
        while b"\n" not in self._buffer:
            ready, _, _ = select.select([output], [], [], max(0, deadline - time.monotonic()))
            if not ready:
                self._fail(f"hung: no {what} within {self._timeout:g} s")
            piece = os.read(output, 1 << 16)
            if not piece:
                self._fail(self._death())
            self._buffer += piece
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line

    def _ended(self):
        try:
            self._process.wait(self._timeout)
        except subprocess.TimeoutExpired:
            self._fail(f"hung: no end within {self._timeout:g} s")

    def _death(self):
        self._ended()
        status = self._process.returncode
        how = f"died of {signal.Signals(-status).name}" if status < 0 else f"ended with status {status}"
        self._errors.seek(0)
        words = self._errors.read().decode(errors="replace").strip().splitlines()
        return f"{how}: {words[-1][:200]}" if words else how
