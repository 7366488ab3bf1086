import type { TestContext } from 'vitest'
export declare function postgresInTests(): (context: TestContext | null, name: string) => Promise<string>
