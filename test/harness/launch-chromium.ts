/** Starts a real Chromium. It comes from npm and runs on Linux x64. `CHROME=<path>` selects another Chromium. */
import { spawnSync } from 'node:child_process';
import { arch, platform } from 'node:process';
import { type Browser, chromium } from 'playwright-core';
import { unpackChromium } from './unpack-chromium.ts';

const { CHROME } = process.env;

/** The reason why this machine cannot start Chromium, or an empty string if it can. */
export const NO_CHROMIUM =
  CHROME || (platform === 'linux' && arch === 'x64')
    ? ''
    : `There is no Chromium for ${platform} ${arch} on npm. Set CHROME=<path> to test with your own.`;

/**
 * Starts Chromium without the arguments that its npm package recommends. The recommended arguments disable web
 * security, so with them, tests of security policies would prove nothing. Chromium exits even if this process is
 * killed, because the pipe between them closes.
 */
export async function launchChromium(): Promise<Browser> {
  if (NO_CHROMIUM) throw new Error(NO_CHROMIUM);
  const { executablePath, environment } = CHROME ? { executablePath: CHROME, environment: {} } : await unpackChromium();
  const env = { ...process.env, ...environment };
  return chromium.launch({ executablePath, env, chromiumSandbox: hasSandbox() });
}

/**
 * Whether Chromium can run in its sandbox. It refuses to do so as root, and for other users it needs the kernel's user
 * namespaces.
 */
const hasSandbox = (): boolean =>
  process.getuid?.() !== 0 && spawnSync('unshare', ['--user', 'true'], { stdio: 'ignore' }).status === 0;
