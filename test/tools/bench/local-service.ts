/**
 * `npm run bench:local` measures what `npm start` costs the machine on which people try Rundown: a suite of 400 quick
 * tests is run without a recording reporter, with ours, and with the published one. Measured are the wall time of the
 * suite, the CPU time of all processes of the service, and their memory. The published one also records to a server that
 * answers at once and stores nothing: no service can be faster for it.
 * `--other <folder>` also measures the service of another checkout, with its own packages. All kinds of runs alternate,
 * so that a busy machine slows down each of them. `--rounds <n>` changes the number of rounds, `--only published` leaves
 * out the other reporters, and `--port <n>` names the first port.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import * as z from 'zod';
import { printLine } from '#infra/cli/terminal/terminal.ts';
import { type GeneratedSuite, type ReporterName, runSuite, type SuiteSize, writeSuite } from './generated-suite.ts';
import { shown } from './medians.ts';
import { readTree } from './process-tree.ts';
import { step } from './progress.ts';
import { markdown } from './report.ts';

/** Nothing but recording takes time in this suite. */
const SUITE: SuiteSize = { specs: 20, testsPerSpec: 20, milliseconds: 0, failing: 0, workers: 2 };
const CHECKOUT = join(import.meta.dirname, '../../..');
const REPORTERS = ['none', 'ours', 'published'] as const satisfies readonly ReporterName[];

/** The part of `local.json` that tells a reporter where to record. */
const LocalFile = z.object({
  recordUrl: z.string(),
  projects: z.tuple([z.object({ projectId: z.string() })]),
  apiKeys: z.object({ readWrite: z.string() }),
});

interface MeasuredService {
  readonly name: string;
  readonly pid: number;
  readonly recorder: { readonly origin: string; readonly projectId: string; readonly recordKey: string };
  stop(): Promise<void>;
}

/** Starts `npm start -- --empty` of a checkout with a data folder of its own. */
async function startCheckout(name: string, folder: string, port: number): Promise<MeasuredService> {
  const data = await mkdtemp(join(tmpdir(), 'rundown-bench-local-'));
  const options = ['--import', './infra/local/check-node.mjs', 'infra/local/start.ts', '--empty'];
  const child = spawn(process.execPath, options, {
    cwd: folder,
    env: { ...process.env, PORT: String(port), RUNDOWN_DATA: data, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  process.on('exit', () => child.kill());
  await becomeReady(child);
  const { recordUrl, projects, apiKeys } = LocalFile.parse(
    JSON.parse(await readFile(join(data, 'local.json'), 'utf8')),
  );
  return {
    name,
    pid: child.pid ?? 0,
    recorder: { origin: recordUrl, projectId: projects[0].projectId, recordKey: apiKeys.readWrite },
    stop: async () => {
      child.kill('SIGINT');
      if (child.exitCode === null) await once(child, 'exit');
      await rm(data, { recursive: true, force: true });
    },
  };
}

async function startInstantServer(): Promise<MeasuredService> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'instant-server.ts')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  process.on('exit', () => child.kill());
  const [line] = await once(child.stdout, 'data');
  return {
    name: 'instant',
    pid: child.pid ?? 0,
    recorder: { origin: String(line).trim(), projectId: '100000', recordKey: 'instant' },
    stop: async () => {
      child.kill();
      if (child.exitCode === null) await once(child, 'exit');
    },
  };
}

/** Reads all that the service prints, also later, because it would fail if nobody read it. */
function becomeReady(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let text = '';
    child.stdout?.on('data', (chunk) => {
      text += String(chunk);
      if (text.includes('Rundown is ready')) resolve();
    });
    child.on('exit', () => reject(new Error('The service did not start: its errors are above')));
  });
}

/** Waits until a service does nothing but poll: bundles are built in the background after a start. */
async function becomeIdle({ pid }: MeasuredService): Promise<void> {
  for (let before = readTree(pid).cpu, after = before + 1; after - before > IDLE_CPU; ) {
    before = readTree(pid).cpu;
    await wait(1000);
    after = readTree(pid).cpu;
  }
}
/** CPU seconds of a second without requests. */
const IDLE_CPU = 0.15;

const readMemory = ({ pid }: MeasuredService): number =>
  [...readTree(pid).memory.values()].reduce((sum, one) => sum + one, 0);

interface Measured {
  readonly wall: number[];
  readonly cpu: number[];
}

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    other: { type: 'string' },
    port: { type: 'string', default: '4790' },
    only: { type: 'string' },
  },
});
const checkouts = [['this', CHECKOUT] as const, ...(values.other ? [['other', resolve(values.other)] as const] : [])];
const port = Number(values.port);
const reporters = values.only ? REPORTERS.filter((name) => name === values.only) : REPORTERS;

async function measure(services: readonly MeasuredService[], suite: GeneratedSuite): Promise<Map<string, Measured>> {
  const all = new Map<string, Measured>();
  for (let round = 0; round <= Number(values.rounds); round += 1) {
    const runs = reporters.flatMap((reporter) =>
      services
        .filter(({ name }) => name !== 'instant' || reporter === 'published')
        .map((service) => ({ reporter, service })),
    );
    // Every other round goes backwards, so that no kind always follows the same one.
    for (const { reporter, service } of round % 2 === 0 ? runs : runs.toReversed()) {
      const key = `${service.name} ${reporter}`;
      await becomeIdle(service);
      const before = readTree(service.pid).cpu;
      const load = loadavg()[0]?.toFixed(1);
      const ciBuildId = `${reporter} ${round}`;
      const run = () => runSuite(suite, { reporter, recorder: service.recorder, ciBuildId });
      const { wall } = await step(`Round ${round}, ${key}, load ${load}`, run);
      await becomeIdle(service);
      // The first round compiles the code, so it is not counted.
      if (round === 0) continue;
      const measured = all.get(key) ?? { wall: [], cpu: [] };
      measured.wall.push(wall);
      measured.cpu.push(readTree(service.pid).cpu - before);
      all.set(key, measured);
    }
  }
  return all;
}

// Without these listeners, a bench that is interrupted would leave its services behind.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));
const services: MeasuredService[] = [];
const suite = await writeSuite(SUITE);
try {
  for (const [at, [name, folder]] of checkouts.entries())
    services.push(await step(`Starting the service of ${folder}`, () => startCheckout(name, folder, port + at)));
  services.push(await startInstantServer());
  for (const service of services) await becomeIdle(service);
  const idleMemory = new Map(services.map((service) => [service.name, readMemory(service)]));
  const measured = await measure(services, suite);
  const ratio = (key: string, base: string, of: keyof Measured) => {
    const bases = measured.get(base)?.[of] ?? [];
    return shown(
      (measured.get(key)?.[of] ?? []).map((one, round) => one / (bases[round] ?? Number.NaN)),
      2,
    );
  };
  const rows = [...measured].map(([key, { wall, cpu }]) => {
    const [name, reporter] = key.split(' ');
    const toOther =
      values.other && name === 'this'
        ? [ratio(key, `other ${reporter}`, 'wall'), ratio(key, `other ${reporter}`, 'cpu')]
        : ['', ''];
    const toNone = ratio(key, name === 'instant' ? 'this none' : `${name} none`, 'wall');
    const toInstant = reporter === 'published' ? ratio(key, 'instant published', 'wall') : '';
    return [key, shown(wall, 2, ' s'), toNone, toInstant, shown(cpu, 2, ' s'), ...toOther];
  });
  printLine(
    markdown([
      [
        'Service and reporter',
        'Wall time',
        'To no reporter',
        'To an instant answer',
        'CPU time of the service',
        'Wall to other',
        'CPU to other',
      ],
      ...rows.toSorted((a, b) => String(a[0]).localeCompare(String(b[0]))),
    ]),
  );
  const memory = services.map((service) => [
    service.name,
    `${idleMemory.get(service.name)?.toFixed(0)} MB`,
    `${readMemory(service).toFixed(0)} MB`,
  ]);
  printLine(markdown([['Memory of the service and its engine', 'Before', 'After all rounds'], ...memory]));
} finally {
  for (const { stop } of services) await stop();
  await suite.remove();
}
