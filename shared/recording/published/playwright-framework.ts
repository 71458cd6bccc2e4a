/** Versions of Playwright and its reporter, from the reporter's headers. */
import { type Framework, PLAYWRIGHT } from '#shared/model/runs/run.ts';

export const readPlaywrightFramework = (header: (name: string) => string | undefined): Framework => ({
  type: PLAYWRIGHT,
  version: header('x-pw-version') ?? null,
  clientVersion: header('x-pwc-version') ?? null,
});
