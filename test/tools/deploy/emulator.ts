/** The target of `npm run test:deploy`: an existing AWS-compatible endpoint, or a new MiniStack. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { setDefaultCACertificates } from 'node:tls';
import * as z from 'zod';

export interface Emulator {
  /** Environment variables for the AWS SDK and the CDK CLI. */
  readonly environment: Readonly<Record<string, string>>;
  readonly endpoint: string;
  /** Whether the endpoint is a MiniStack that `findEmulator` started. Only then are the templates adapted. */
  readonly isMiniStack: boolean;
  readonly stop: () => Promise<void>;
}

const CREDENTIALS = {
  AWS_ACCESS_KEY_ID: 'test',
  AWS_SECRET_ACCESS_KEY: 'test',
  AWS_REGION: 'us-east-1',
  AWS_DEFAULT_REGION: 'us-east-1',
  AWS_EC2_METADATA_DISABLED: 'true',
};

/** The only place with the version of MiniStack. Its gaps, which `assembly.ts` closes, differ between versions. */
const MINISTACK = '1.5.33';

export const HOW_TO_INSTALL = `Install MiniStack ${MINISTACK} outside the project, and put it first in PATH:
  python3 -m venv ~/.rundown-ministack
  ~/.rundown-ministack/bin/pip install ministack==${MINISTACK} cryptography
  PATH=~/.rundown-ministack/bin:$PATH npm run test:deploy
Or set RUNDOWN_AWS_ENDPOINT to another AWS-compatible endpoint.`;

const START_SECONDS = 60;
const STOP_MILLISECONDS = 10_000;
const COMMANDS: ReadonlyArray<readonly [string, ...string[]]> = [['ministack'], ['python3', '-m', 'ministack']];

/**
 * Uses the endpoint in `RUNDOWN_AWS_ENDPOINT`, or starts MiniStack, with its files and its log in `directory`. Returns
 * undefined if the variable is not set and MiniStack is not installed.
 */
export async function findEmulator(directory: string): Promise<Emulator | undefined> {
  const endpoint = process.env.RUNDOWN_AWS_ENDPOINT;
  if (endpoint) {
    const environment = { ...CREDENTIALS, AWS_ENDPOINT_URL: endpoint };
    return { endpoint, environment, isMiniStack: false, stop: async () => {} };
  }
  const command = COMMANDS.find(([program, ...first]) => spawnSync(program, [...first, '--help']).status === 0);
  return command && startMiniStack(command, directory);
}

/**
 * Starts MiniStack with TLS, because the buckets refuse plain HTTP, and with enforced permissions, so that the test
 * fails if a grant is missing. Other environment variables are not passed on, because the deployed functions would see
 * them.
 */
async function startMiniStack(
  [program, ...first]: readonly [string, ...string[]],
  directory: string,
): Promise<Emulator> {
  const port = await freePort();
  const endpoint = `https://127.0.0.1:${port}`;
  const temporary = join(directory, 'ministack');
  await mkdir(temporary, { recursive: true });
  const child = spawn(program, first, {
    env: {
      PATH: process.env.PATH,
      HOME: temporary,
      TMPDIR: temporary,
      BIND_HOST: '127.0.0.1',
      GATEWAY_PORT: `${port}`,
      IOT_MTLS_ENABLED: '0',
      USE_SSL: '1',
      AUTH: 'true',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const log = join(directory, 'ministack.log');
  const file = createWriteStream(log);
  for (const output of [child.stdout, child.stderr]) output.pipe(file, { end: false });
  const ended = once(child, 'exit');
  const certificate = join(temporary, 'ministack-tls', 'server.crt');
  try {
    await untilReady(endpoint, { certificate, log }, () => child.exitCode !== null);
    await checkVersion(endpoint);
  } catch (error) {
    child.kill();
    throw error;
  }
  return {
    endpoint,
    isMiniStack: true,
    environment: { ...CREDENTIALS, AWS_ENDPOINT_URL: endpoint, AWS_CA_BUNDLE: certificate },
    stop: async () => {
      child.kill();
      // Kills MiniStack if it does not stop in time. It may be waiting for running functions.
      const force = setTimeout(() => child.kill('SIGKILL'), STOP_MILLISECONDS);
      await ended;
      clearTimeout(force);
    },
  };
}

interface OwnFiles {
  readonly certificate: string;
  readonly log: string;
}

async function untilReady(endpoint: string, { certificate, log }: OwnFiles, hasEnded: () => boolean): Promise<void> {
  const deadline = Date.now() + START_SECONDS * 1000;
  while (Date.now() < deadline && !hasEnded()) {
    try {
      setDefaultCACertificates([await readFile(certificate, 'utf8')]);
      const answer = await fetch(`${endpoint}/_ministack/health`);
      if (answer.ok) return;
    } catch {
      // The emulator does not accept connections yet.
    }
    await wait(200);
  }
  throw new Error(
    `MiniStack ended, or did not start within ${START_SECONDS} s. Read ${log}, and check that openssl is installed`,
  );
}

async function checkVersion(endpoint: string): Promise<void> {
  const answer = await fetch(`${endpoint}/_ministack/health`);
  const { version } = z.object({ version: z.string() }).parse(await answer.json());
  if (version !== MINISTACK)
    throw new WrongVersion(
      `MiniStack ${version} is installed, but the test is made for ${MINISTACK}. ${HOW_TO_INSTALL}`,
    );
}

export class WrongVersion extends Error {}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (typeof address !== 'object' || address === null) throw new Error('No free port on 127.0.0.1');
  return address.port;
}
