import { defineConfig } from 'vitest/config'

const testTimeout = 180_000
// Closing a service with its threads takes a while on a busy machine.
const hookTimeout = 60_000
const setupFiles = [new URL('./test/property-seed.ts', import.meta.url).pathname]

// `npm run test:system` runs what needs kills, full disks, silent servers, jumping clocks, replicas or a browser (`*.system.test.ts`);
// `npm test` runs the rest.
export default defineConfig(({ mode }) => {
  const system = mode === 'system'
  const tests = system ? '*.system.test.ts' : '*.test.ts'
  const exclude = ['**/node_modules/**', ...(system ? [] : ['**/*.system.test.ts'])]
  /** Their files keep folders or services of their own until they are done. */
  const withState = [
    `packages/client/src/**/${tests}`,
    `packages/lab/src/tables/**/${tests}`,
    `packages/lab/src/inspection/**/${tests}`,
    `packages/lab/src/simulation/user-units${tests.slice(1)}`,
  ]
  return {
    test: {
      // Both of two cores: many tests wait for processes of their own.
      maxWorkers: 2,
      projects: [
        {
          resolve: { conditions: ['source'] },
          ssr: { resolve: { conditions: ['source'] } },
          test: {
            name: 'packages',
            include: [`packages/*/src/**/${tests}`],
            exclude: [...exclude, ...withState],
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
            include: [`apps/dashboard/src/**/${tests}`, `test/**/${tests}`, ...withState],
            exclude,
            testTimeout,
            hookTimeout,
            setupFiles,
          },
        },
        // The service and the command run threads, which load built files: their tests use what was built.
        {
          test: {
            name: 'built',
            include: [`apps/{service,cli}/src/**/${tests}`, `examples/**/${tests}`],
            exclude,
            server: { deps: { external: [/\/dist\//] } },
            testTimeout,
            hookTimeout,
            setupFiles,
          },
        },
      ],
    },
  }
})
