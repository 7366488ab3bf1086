// A file that primo train wrote.

import { type ModelFile, trained } from '@primo/core'
import { readJson } from '../json-file.js'

export function modelsIn(flag: string, file: string): ModelFile {
  const models = readJson<ModelFile>(flag, file)
  // Checks the format.
  trained(models, models.models?.[0]?.covariate)
  return models
}
