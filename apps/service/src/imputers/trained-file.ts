// A model that `primo train` wrote, taken from its file into the definition: from then on it is plain data, in the log with all else that
// was defined, asked without a thread and again for earlier rounds.

import { readFile } from 'node:fs/promises'
import { type ModelFile, type TrainedImputer, trained } from '@primo/core'
import { refuseImputer, type TrainedFileDefinition } from './imputer-definition.js'

/** `covariate`: its name, by which the file's models are told apart. */
export async function trainedFromFile(
  field: string,
  { file, version }: TrainedFileDefinition,
  path: string,
  covariate: string | undefined,
): Promise<TrainedImputer> {
  let parsed: ModelFile
  try {
    parsed = JSON.parse(await readFile(path, 'utf8')) as ModelFile
  } catch (error) {
    refuseImputer(`${field}.file`, `JSON that \`primo train\` wrote (${(error as Error).message})`, file)
  }
  return trained(parsed, covariate, version === undefined ? {} : { version })
}
