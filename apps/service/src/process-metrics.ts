// Processor, memory, descriptors, start, event loop and garbage collection of the process, under the names that every exporter uses.
// A process has one of each, however many services it runs.

import { collectDefaultMetrics, Registry } from 'prom-client'

/** Gauges whose names end like those of counters. */
const MISNAMED = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total']

let registry: Registry | null = null

export function processMetrics(): Registry {
  if (registry !== null) return registry
  registry = new Registry()
  collectDefaultMetrics({ register: registry })
  for (const name of MISNAMED) registry.removeSingleMetric(name)
  return registry
}
