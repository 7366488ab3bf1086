import { defineConfig } from 'vitest/config'

const testTimeout = 180_000
// Closing a service with its threads takes a while on a busy machine.
const hookTimeout = 60_000
/** Their files keep folders or services of their own until they are done. */
const withState = [
  'packages/client/src/**/*.test.ts',
  'packages/lab/src/tables/**/*.test.ts',
  'packages/lab/src/inspection/**/*.test.ts',
  'packages/lab/src/simulation/user-units.test.ts',
]
const setupFiles = [new URL('./test/property-seed.ts', import.meta.url).pathname]

export default defineConfig({
  test: {
    // Both of two cores: many tests wait for processes of their own.
    maxWorkers: 2,
    projects: [
      {
        resolve: { conditions: ['source'] },
        ssr: { resolve: { conditions: ['source'] } },
        test: {
          name: 'packages',
          include: ['packages/*/src/**/*.test.ts'],
          exclude: ['**/node_modules/**', ...withState],
          // They share no state: modules are loaded once for all files of a worker, which halves the time.
          isolate: false,
          testTimeout,
          hookTimeout,
          setupFiles,
        },
      },
      {
        resolve: { conditions: ['source'] },
        ssr: { resolve: { conditions: ['source'] } },
        test: {
          name: 'source',
          include: ['apps/dashboard/src/**/*.test.ts', 'test/**/*.test.ts', ...withState],
          exclude: ['**/node_modules/**'],
          testTimeout,
          hookTimeout,
          setupFiles,
        },
      },
      // The service and the command run threads, which load built files: their tests use what was built.
      {
        test: {
          name: 'built',
          include: ['apps/{service,cli}/src/**/*.test.ts', 'examples/**/*.test.ts'],
          server: { deps: { external: [/\/dist\//] } },
          testTimeout,
          hookTimeout,
          setupFiles,
        },
      },
    ],
  },
})
