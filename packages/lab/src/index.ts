export type { Environment, WorldBlock } from './environments/environment.js'
export { referenceData, referenceEnvironment, referenceInteractions } from './environments/reference.js'
export { type ReferenceEnvironment, referenceEnvironments } from './environments/reference-data.js'
export {
  type Checkpoint,
  type SimulationInput,
  type SimulationResult,
  simulate,
  worldOf,
} from './simulation/simulate.js'
