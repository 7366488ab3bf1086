import type { Browser } from 'playwright-core'

export function findBrowser(): Promise<{ executablePath: string; args: string[] } | null>
export function openBrowser(more?: readonly string[], without?: readonly string[]): Promise<Browser>
