"""Functions common to all peers: read the inputs that bench_race wrote, measure times, compare results, print one JSON
object."""

import json
import pathlib
import sys
import time


def read_array(folder, kind, number, shape, dtype):
    import numpy as np

    return np.fromfile(pathlib.Path(folder, f"{kind}.{number}"), dtype=dtype).reshape(shape)


def difference(results, folder):
    """Returns the norm of theirs - ours divided by the norm of theirs, the maximum over all results; ours are read from
    files."""
    import numpy as np

    def of(number, theirs):
        theirs = np.asarray(theirs)
        wide = np.complex128 if theirs.dtype.kind == "c" else np.float64
        ours = read_array(folder, "output", number, theirs.shape, theirs.dtype).astype(wide)
        theirs = theirs.astype(wide)
        both = np.isnan(theirs) & np.isnan(ours)  # random inputs may give NaN on both sides
        theirs, ours = np.where(both, 0, theirs), np.where(both, 0, ours)
        return float(np.linalg.norm((theirs - ours).ravel()) / max(np.linalg.norm(theirs.ravel()), 1e-300))

    return max((of(number, result) for number, result in enumerate(results)), default=0.0)


def timed(repeats, prepare, run):
    """Returns the answer's field about run(prepare()): the seconds of each run, after one to warm up."""
    seconds = []
    for _ in range(repeats + 1):
        arguments = prepare()
        start = time.perf_counter()
        result = run(arguments)
        seconds.append(time.perf_counter() - start)
        del result  # releases its memory for the next result
    return {"seconds": seconds[1:]}


def main(measure):
    """Prints the answer. measure(model, folder, platform, repeats) returns its fields, or raises an exception with the
    reason."""
    model, folder, platform, repeats = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
    try:
        answer = measure(model, folder, platform, repeats)
    except Exception as error:  # any failure there must be reported as an answer
        answer = {"error": f"{type(error).__name__}: {str(error).strip().splitlines()[0] if str(error).strip() else ''}"}
    # JSON has no NaN; null stands for it.
    print(json.dumps({key: None if value != value else value for key, value in answer.items()}))
