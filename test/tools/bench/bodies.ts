/** Measures the cost of hostile request bodies and of the largest valid ones, each in a separate process. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import type * as z from 'zod';
import type { BenchService, BenchSetup } from './bench-service.ts';
import type { Measurement } from './budgets.ts';
import { HOSTILE, INVALID, largeInstances, largestSuite } from './hostile-bodies.ts';
import { MeasuredBody } from './measured-body.ts';
import { note } from './progress.ts';

const run = promisify(execFile);
const PROGRAM = join(import.meta.dirname, 'measured-body.ts');

/**
 * The bundle of the operation that accepts the largest bodies. The operation reads the body before it checks the
 * credential.
 */
const BUNDLE = 'upload-run';

interface Measured extends z.output<typeof MeasuredBody> {
  readonly name: string;
  readonly megabytes: number;
}

type Ask = (name: string, text: string) => Promise<Measured>;

export async function measureBodies({ assembly }: BenchSetup, service: BenchService): Promise<Measurement[]> {
  const folder = await mkdtemp(join(tmpdir(), 'rundown-bodies-'));
  const asking = (headers: Readonly<Record<string, string[]>>): Ask => {
    return (name, text) =>
      measured({ folder, bundle: join(assembly, 'bundles', BUNDLE), service, headers }, name, text);
  };
  try {
    return await compared(asking({ 'x-currents-key': [service.recordKey] }), asking({}), service.projectId);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function compared(authenticated: Ask, anonymous: Ask, projectId: string): Promise<Measurement[]> {
  const ofAuthenticated: Measured[] = [];
  const ofAnonymous: Measured[] = [];
  for (const [name, make] of Object.entries(HOSTILE)) {
    const text = `{"projectId":7,"coverage":${make()}}`;
    ofAuthenticated?.push(await authenticated(name, text));
    ofAnonymous?.push(await anonymous(name, text));
  }
  for (const [name, make] of Object.entries(INVALID))
    ofAuthenticated?.push(await authenticated(`invalid ${name}`, `{"${name}":${make()}}`));
  // The project id is unknown, so the service reads the whole body but records nothing.
  const honest = `{"projectId":"${projectId}0","ciBuildId":"1","group":"retail","commit":{}`;
  const suite = await authenticated('the largest suite', `${honest},"fullTestSuite":${largestSuite()}}`);
  const upload = await authenticated('an upload of 10 MB', `${honest},"instances":${largeInstances()}}`);
  return [
    worst('bodyMilliseconds', ofAuthenticated ?? [], ({ milliseconds }) => milliseconds),
    worst('bodyMegabytes', ofAuthenticated ?? [], ({ megabytes }) => megabytes),
    worst('unauthenticatedMilliseconds', ofAnonymous ?? [], ({ milliseconds }) => milliseconds),
    worst('unauthenticatedMegabytes', ofAnonymous ?? [], ({ megabytes }) => megabytes),
    worst('suiteMilliseconds', [suite], ({ milliseconds }) => milliseconds),
    worst('uploadMilliseconds', [upload], ({ milliseconds }) => milliseconds),
  ];
}

interface Setting {
  readonly folder: string;
  readonly bundle: string;
  readonly service: BenchService;
  readonly headers: Readonly<Record<string, string[]>>;
}

async function measured({ folder, bundle, service, headers }: Setting, name: string, text: string): Promise<Measured> {
  const event = {
    httpMethod: 'POST',
    multiValueHeaders: { ...headers, 'content-encoding': ['gzip'] },
    multiValueQueryStringParameters: null,
    pathParameters: null,
    requestContext: { requestId: 'measured' },
    body: gzipSync(text).toString('base64'),
    isBase64Encoded: true,
  };
  const file = join(folder, 'question.json');
  await writeFile(file, JSON.stringify({ event, environment: service.environment }));
  const { stdout } = await run(process.execPath, [PROGRAM, bundle, file]);
  const cost = MeasuredBody.parse(JSON.parse(stdout));
  const megabytes = Math.max(0, cost.growthBytes - Buffer.byteLength(text)) / 2 ** 20;
  const known = 'x-currents-key' in headers ? '' : ', unauthenticated';
  note(
    `    ${name}${known}: ${cost.status}, ${cost.milliseconds.toFixed(0)} ms, ${megabytes.toFixed(0)} MB besides its size`,
  );
  return { ...cost, name, megabytes };
}

function worst(name: Measurement['name'], all: readonly Measured[], of: (one: Measured) => number): Measurement {
  const found = all.reduce<Measured | undefined>((most, one) => (most && of(most) >= of(one) ? most : one), undefined);
  if (!found) throw new Error(`${name} has no measurements`);
  return { name, measured: of(found), note: found.name };
}
