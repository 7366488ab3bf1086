import { defineConfig } from 'vitest/config'

const testTimeout = 180_000
// Closing a service with its threads takes a while on a busy machine.
const hookTimeout = 60_000
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
          name: 'source',
          include: [
            'packages/*/src/**/*.test.ts',
            'packages/*/test/**/*.test.ts',
            'apps/*/src/**/*.test.ts',
            'test/**/*.test.ts',
          ],
          exclude: ['**/node_modules/**', 'apps/service/**'],
          testTimeout,
          hookTimeout,
          setupFiles,
        },
      },
      // The service runs threads, which load built files: its tests use what was built.
      {
        test: {
          name: 'built',
          include: ['apps/service/src/**/*.test.ts', 'examples/**/*.test.ts'],
          server: { deps: { external: [/\/dist\//] } },
          testTimeout,
          hookTimeout,
          setupFiles,
        },
      },
    ],
  },
})
