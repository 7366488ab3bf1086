// A trained model as an ONNX file: one input per feature by its name (double, or text for a category), one output, `prediction`: the number,
// the probability of true, or one probability per level. Linear models and trees. Inputs are doubles so that no row crosses a threshold by
// rounding; sums of trees come out as floats.

import type { TrainedFeature, TrainedModel } from '@primo/core'
import { invalidOption } from '@primo/numeric'
import { ELEMENT, type Graph, type Message, modelBytes, node, tensor, value } from './onnx-bytes.js'

const OUTPUT = 'prediction'

type Trees = Extract<TrainedModel['scores'][number]['model'], { kind: 'trees' }>

/** Throws where the model's class has no operators in ONNX. */
export function onnxModel(model: TrainedModel): Uint8Array {
  const kinds = new Set(model.scores.map((score) => score.model.kind))
  kinds.delete('constant')
  const [kind = 'linear', another] = kinds
  if (another !== undefined || (kind !== 'linear' && kind !== 'trees'))
    invalidOption('classes', 'linear, trees where the model is to be written as ONNX', [...kinds].join(', '))
  if (model.features.some(({ name }) => name === OUTPUT))
    invalidOption('features', `named otherwise than the output where the model is to be written as ONNX`, OUTPUT)
  const inputs = model.features.map(({ name, type }) => value(name, type === 'category' ? 'string' : 'double', 1))
  const width = model.scores.length
  const scores = kind === 'trees' ? treeScores(model) : linearScores(model)
  const link = linkNodes(model, kind === 'trees')
  return modelBytes(model.covariate, {
    nodes: [...scores.nodes, ...link.nodes],
    constants: [...scores.constants, ...link.constants],
    inputs,
    outputs: [value(OUTPUT, 'double', width)],
  })
}

type Part = Pick<Graph, 'nodes' | 'constants'>

/** Names of things inside the graph cannot be those of features. */
const inside = (what: string, k: number | string = '') => `primo:${what}${k}`

/** The index of a level as a double; -1: one that it never saw. */
function codeNodes({ name, levels }: { name: string; levels: readonly string[] }, k: number): readonly Message[] {
  const attributes = {
    keys_strings: { strings: levels },
    values_floats: { floats: levels.map((_, code) => code) },
    default_float: { float: -1 },
  }
  return [
    node('LabelEncoder', [name], inside('label', k), attributes, 'ai.onnx.ml'),
    node('Cast', [inside('label', k)], inside('column', k), { to: { int: ELEMENT.double } }),
  ]
}

function linearScores(model: TrainedModel): Part {
  const nodes: Message[] = []
  const constants: Message[] = []
  model.features.forEach((feature, k) => {
    if (feature.type === 'category') {
      const { levels } = feature
      nodes.push(...codeNodes(feature, k))
      constants.push(
        tensor(
          inside('codes', k),
          'double',
          [1, levels.length],
          levels.map((_, code) => code),
        ),
      )
      nodes.push(node('Equal', [inside('column', k), inside('codes', k)], inside('is', k)))
      nodes.push(node('Cast', [inside('is', k)], inside('part', k), { to: { int: ELEMENT.double } }))
      return
    }
    const [centre, scale] = feature.type === 'number' ? [feature.centre, feature.scale] : [0, 1]
    constants.push(tensor(inside('centre', k), 'double', [1, 1], [centre]))
    constants.push(tensor(inside('scale', k), 'double', [1, 1], [scale]))
    nodes.push(node('IsNaN', [feature.name], inside('missing', k)))
    nodes.push(node('Where', [inside('missing', k), inside('centre', k), feature.name], inside('filled', k)))
    nodes.push(node('Sub', [inside('filled', k), inside('centre', k)], inside('moved', k)))
    nodes.push(node('Div', [inside('moved', k), inside('scale', k)], inside(feature.missing ? 'scaled' : 'part', k)))
    if (!feature.missing) return
    nodes.push(node('Cast', [inside('missing', k)], inside('flag', k), { to: { int: ELEMENT.double } }))
    nodes.push(node('Concat', [inside('scaled', k), inside('flag', k)], inside('part', k), { axis: { int: 1 } }))
  })
  const parts = model.features.map((_, k) => inside('part', k))
  nodes.push(node('Concat', parts, inside('columns'), { axis: { int: 1 } }))
  const width = model.features.reduce((sum, feature) => sum + columnsOf(feature), 0)
  const count = model.scores.length
  const slopes = new Array<number>(width * count).fill(0)
  const levels = model.scores.map(({ columns, model: score }, s) => {
    if (score.kind !== 'linear') return score.kind === 'constant' ? score.value : 0
    columns.forEach((column, j) => {
      slopes[column * count + s] = score.coefficients[j + 1]!
    })
    return score.coefficients[0]!
  })
  constants.push(tensor(inside('slopes'), 'double', [width, count], slopes))
  constants.push(tensor(inside('levels'), 'double', [1, count], levels))
  nodes.push(node('MatMul', [inside('columns'), inside('slopes')], inside('products')))
  nodes.push(node('Add', [inside('products'), inside('levels')], inside('scores')))
  return { nodes, constants }
}

function columnsOf(feature: TrainedFeature): number {
  return feature.type === 'category' ? feature.levels.length : feature.missing ? 2 : 1
}

function treeScores(model: TrainedModel): Part {
  const nodes: Message[] = []
  const columns: { readonly feature: number; readonly level: number | null }[] = []
  model.features.forEach((feature, k) => {
    if (feature.type !== 'category') {
      columns.push({ feature: k, level: null })
      nodes.push(node('Identity', [feature.name], inside('column', k)))
      return
    }
    feature.levels.forEach((_, level) => {
      columns.push({ feature: k, level })
    })
    nodes.push(...codeNodes(feature, k))
  })
  nodes.push(
    node(
      'Concat',
      model.features.map((_, k) => inside('column', k)),
      inside('columns'),
      { axis: { int: 1 } },
    ),
  )
  const list = {
    tree: [] as number[],
    id: [] as number[],
    feature: [] as number[],
    value: [] as number[],
    mode: [] as string[],
    yes: [] as number[],
    no: [] as number[],
    missing: [] as number[],
  }
  const leaf = { tree: [] as number[], id: [] as number[], target: [] as number[], weight: [] as number[] }
  let tree = 0
  model.scores.forEach((score, target) => {
    if (score.model.kind !== 'trees') return
    const { roots, feature, value: values, left, missingLeft } = score.model as Trees
    roots.forEach((root, t) => {
      const end = roots[t + 1] ?? feature.length
      for (let n = root; n < end; n++) {
        const id = n - root
        list.tree.push(tree)
        list.id.push(id)
        if (feature[n]! < 0) {
          list.feature.push(0)
          list.value.push(0)
          list.mode.push('LEAF')
          list.yes.push(0)
          list.no.push(0)
          list.missing.push(0)
          leaf.tree.push(tree)
          leaf.id.push(id)
          leaf.target.push(target)
          leaf.weight.push(values[n]!)
          continue
        }
        const column = columns[score.columns[feature[n]!]!]!
        const next = left[n]! - root
        const isLevel = column.level !== null
        list.feature.push(column.feature)
        // A column of a level is 0 or 1: "at most one half" is "another level".
        list.value.push(isLevel ? column.level! : values[n]!)
        list.mode.push(isLevel ? 'BRANCH_EQ' : 'BRANCH_LEQ')
        list.yes.push(isLevel ? next + 1 : next)
        list.no.push(isLevel ? next : next + 1)
        list.missing.push(isLevel ? 0 : missingLeft[n]!)
      }
      tree++
    })
  })
  const starts = model.scores.map(({ model: score }) =>
    score.kind === 'trees' ? score.start : score.kind === 'constant' ? score.value : 0,
  )
  const attributes = {
    n_targets: { int: model.scores.length },
    aggregate_function: { string: 'SUM' },
    post_transform: { string: 'NONE' },
    base_values_as_tensor: { tensor: tensor('', 'double', [starts.length], starts) },
    nodes_treeids: { ints: list.tree },
    nodes_nodeids: { ints: list.id },
    nodes_featureids: { ints: list.feature },
    nodes_values_as_tensor: { tensor: tensor('', 'double', [list.value.length], list.value) },
    nodes_modes: { strings: list.mode },
    nodes_truenodeids: { ints: list.yes },
    nodes_falsenodeids: { ints: list.no },
    nodes_missing_value_tracks_true: { ints: list.missing },
    target_treeids: { ints: leaf.tree },
    target_nodeids: { ints: leaf.id },
    target_ids: { ints: leaf.target },
    target_weights_as_tensor: { tensor: tensor('', 'double', [leaf.weight.length], leaf.weight) },
  }
  nodes.push(node('TreeEnsembleRegressor', [inside('columns')], inside('scores'), attributes, 'ai.onnx.ml'))
  return { nodes, constants: [] }
}

function linkNodes({ target, link }: TrainedModel, fromFloats: boolean): Part {
  const scores = inside('doubles')
  const nodes = [
    fromFloats
      ? node('Cast', [inside('scores')], scores, { to: { int: ELEMENT.double } })
      : node('Identity', [inside('scores')], scores),
  ]
  if (target.type === 'number') {
    const constants = [
      tensor(inside('min'), 'double', [], [target.min]),
      tensor(inside('max'), 'double', [], [target.max]),
    ]
    return { nodes: [...nodes, node('Clip', [scores, inside('min'), inside('max')], OUTPUT)], constants }
  }
  const constants = [
    tensor(inside('slope'), 'double', [1, 1], [link.slope]),
    tensor(inside('offsets'), 'double', [1, link.offsets.length], link.offsets),
  ]
  nodes.push(node('Mul', [scores, inside('slope')], inside('sloped')))
  nodes.push(node('Add', [inside('sloped'), inside('offsets')], inside('odds')))
  nodes.push(
    target.type === 'boolean'
      ? node('Sigmoid', [inside('odds')], OUTPUT)
      : node('Softmax', [inside('odds')], OUTPUT, { axis: { int: 1 } }),
  )
  return { nodes, constants }
}
