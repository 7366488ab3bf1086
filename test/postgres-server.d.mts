export interface PostgresServer {
  readonly createDatabase: (name: string) => Promise<string>
  readonly kill: () => void
  readonly start: () => Promise<void>
  readonly stop: () => Promise<void>
}
export declare function startPostgres(): Promise<PostgresServer>
