# Gram matrix, ridge and logistic fits with numpy and scikit-learn on one thread: medians of processor seconds, as JSON.
import os

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"
import json
import platform
import sys
import time

import numpy
import sklearn
from sklearn.linear_model import LogisticRegression, Ridge

rows, columns = int(sys.argv[1]), int(sys.argv[2])


def median(run, repeats):
    values = []
    for _ in range(repeats):
        start = time.process_time()
        run()
        values.append(time.process_time() - start)
    return sorted(values)[repeats // 2]


data = numpy.frombuffer(sys.stdin.buffer.read(), dtype=numpy.float64).reshape(rows, columns + 2)
x = numpy.ascontiguousarray(data[:, :columns])
y = numpy.ascontiguousarray(data[:, columns])
b = data[:, columns + 1].astype(numpy.int64)
eye = numpy.eye(columns)
print(
    json.dumps(
        {
            "gram": median(lambda: x.T @ x, 7),
            "normal": median(lambda: numpy.linalg.solve(x.T @ x + eye, x.T @ y), 7),
            "ridge": median(lambda: Ridge(alpha=1).fit(x, y), 5),
            "logistic": median(lambda: LogisticRegression().fit(x, b), 3),
            "slopes": LogisticRegression(tol=1e-8, max_iter=1000).fit(x, b).coef_[0].tolist(),
            "versions": f"Python {platform.python_version()}, numpy {numpy.__version__}, scikit-learn {sklearn.__version__}",
        }
    )
)
