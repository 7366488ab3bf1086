import type { TestContext } from 'vitest'
export declare function postgresInTests(): (context: TestContext, name: string) => Promise<string>
