// The named studies and the checks of the theory.

// studies
export { studies } from './studies/catalog.js'

// theory-checks
export { boundsCommand } from './theory-checks/bounds-command.js'
