// The named studies.

export { studies } from './studies/catalog.js'
