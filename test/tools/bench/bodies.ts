/** What request bodies cost a function: hostile ones, and for comparison the largest honest ones. Each is read in a process of its own. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import type * as z from 'zod';
import type { Measurement } from './budgets.ts';
import { HOSTILE, largeInstances, largestSuite, WRONG } from './hostile-bodies.ts';
import { MeasuredBody } from './measured-body.ts';
import { note } from './progress.ts';
import type { Ground, Stand } from './stand.ts';

const run = promisify(execFile);
const PROGRAM = join(import.meta.dirname, 'measured-body.ts');

/** The operation that takes the largest bodies, and those of strangers. */
const BUNDLE = 'upload-run';

interface Measured extends z.output<typeof MeasuredBody> {
  readonly name: string;
  readonly megabytes: number;
}

type Ask = (name: string, text: string) => Promise<Measured>;

export async function measureBodies({ assembly }: Ground, stand: Stand): Promise<Measurement[]> {
  const folder = await mkdtemp(join(tmpdir(), 'rundown-bodies-'));
  const asking = (headers: Readonly<Record<string, string[]>>): Ask => {
    return (name, text) => measured({ folder, bundle: join(assembly, 'bundles', BUNDLE), stand, headers }, name, text);
  };
  try {
    return await compared(asking({ 'x-currents-key': [stand.recordKey] }), asking({}), stand.projectId);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function compared(known: Ask, stranger: Ask, projectId: string): Promise<Measurement[]> {
  const [ofKnown, ofStrangers]: Measured[][] = [[], []];
  for (const [name, make] of Object.entries(HOSTILE)) {
    const text = `{"projectId":7,"coverage":${make()}}`;
    ofKnown?.push(await known(name, text));
    ofStrangers?.push(await stranger(name, text));
  }
  for (const [name, make] of Object.entries(WRONG))
    ofKnown?.push(await known(`wrong ${name}`, `{"${name}":${make()}}`));
  // Of a project that there is not: everything of the body is read, and nothing is recorded.
  const honest = `{"projectId":"${projectId}0","ciBuildId":"1","group":"retail","commit":{}`;
  const suite = await known('the largest suite', `${honest},"fullTestSuite":${largestSuite()}}`);
  const upload = await known('an upload of 10 MB', `${honest},"instances":${largeInstances()}}`);
  return [
    worst('bodyMilliseconds', ofKnown ?? [], ({ milliseconds }) => milliseconds),
    worst('bodyMegabytes', ofKnown ?? [], ({ megabytes }) => megabytes),
    worst('strangersMilliseconds', ofStrangers ?? [], ({ milliseconds }) => milliseconds),
    worst('strangersMegabytes', ofStrangers ?? [], ({ megabytes }) => megabytes),
    worst('suiteMilliseconds', [suite], ({ milliseconds }) => milliseconds),
    worst('uploadMilliseconds', [upload], ({ milliseconds }) => milliseconds),
  ];
}

interface Setting {
  readonly folder: string;
  readonly bundle: string;
  readonly stand: Stand;
  readonly headers: Readonly<Record<string, string[]>>;
}

async function measured({ folder, bundle, stand, headers }: Setting, name: string, text: string): Promise<Measured> {
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
  await writeFile(file, JSON.stringify({ event, environment: stand.environment }));
  const { stdout } = await run(process.execPath, [PROGRAM, bundle, file]);
  const cost = MeasuredBody.parse(JSON.parse(stdout));
  const megabytes = Math.max(0, cost.growthBytes - Buffer.byteLength(text)) / 2 ** 20;
  const known = 'x-currents-key' in headers ? '' : ', of a stranger';
  note(
    `    ${name}${known}: ${cost.status}, ${cost.milliseconds.toFixed(0)} ms, ${megabytes.toFixed(0)} MB beyond its size`,
  );
  return { ...cost, name, megabytes };
}

function worst(name: Measurement['name'], all: readonly Measured[], of: (one: Measured) => number): Measurement {
  const found = all.reduce<Measured | undefined>((most, one) => (most && of(most) >= of(one) ? most : one), undefined);
  if (!found) throw new Error(`There is nothing to compare for ${name}`);
  return { name, measured: of(found), note: found.name };
}
