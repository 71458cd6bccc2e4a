/** Runs `npm run login`, and handles the address that it prints. */
import { once } from 'node:events';
import { start } from '#test/infra/local/child.ts';
import { consent } from './own-issuer.ts';

export interface LoginOptions {
  /** The value of `RUNDOWN_DATA`: the folder that contains `local.json`. */
  readonly folder: string;
  readonly args?: readonly string[];
  /** Handles the printed address. Does nothing by default. */
  readonly person?: (address: URL) => Promise<unknown>;
}

export interface LoggedIn {
  readonly status: number | null;
  readonly output: string;
  readonly errors: string;
}

const ADDRESS = /^(http\S+)\n/m;

export async function runLogin({ folder, args = [], person }: LoginOptions): Promise<LoggedIn> {
  const child = start(['infra/cli/login/login.ts', ...args], { RUNDOWN_DATA: folder });
  const output: string[] = [];
  const errors: string[] = [];
  let opened: Promise<unknown> | undefined;
  child.stdout?.on('data', (chunk) => output.push(String(chunk)));
  child.stderr?.on('data', (chunk) => {
    errors.push(String(chunk));
    const [, address] = ADDRESS.exec(errors.join('')) ?? [];
    if (address !== undefined) opened ??= person?.(new URL(address));
  });
  await once(child, 'close');
  await opened;
  return { status: child.exitCode, output: output.join(''), errors: errors.join('') };
}

/**
 * Opens the printed address with this session, allows or denies access, and follows the redirect back to the command.
 */
export const consentWith =
  (session: string, decision: 'allow' | 'deny' = 'allow') =>
  async (address: URL): Promise<void> => {
    await (await fetch(await consent(address, session, decision))).text();
  };
