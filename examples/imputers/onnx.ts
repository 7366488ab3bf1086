// `onnx`: a model file in the folder of `primo serve --models examples/models`. Its inputs are mapped by name: numbers and booleans
// as they are, categories as text or as "feature=level" columns. What does not fit the model is refused when the problem is defined.

import { decideFor } from './patients.js'

// How long a decision waits for the model: 50 ms unless it says otherwise.
const limits = { budget: 2000 }
const COLUMNS = ['age', 'smoker', 'town=north', 'town=south', 'town=east']

export const onnxImputers = async (url: string) => ({
  linear: await decideFor(url, 'dose-by-linear', {
    kind: 'onnx',
    file: 'linear.onnx',
    inputs: { age: 'age', smoker: 'smoker', town: 'town' },
    limits,
  }),
  perceptron: await decideFor(url, 'dose-by-perceptron', {
    kind: 'onnx',
    file: 'perceptron.onnx',
    inputs: { columns: COLUMNS },
    limits,
  }),
  trees: await decideFor(url, 'dose-by-trees', {
    kind: 'onnx',
    file: 'trees.onnx',
    inputs: { columns: COLUMNS },
    limits,
  }),
})
