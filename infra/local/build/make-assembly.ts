/**
 * The builder of `npm start`: makes the template if the settings, the declarations or the stacks have changed, then
 * builds the bundle of each function that `npm start` asks for, and in the meantime all others that are not current. It
 * ends when all are built, or with `npm start`. With `watch` it builds on request only, and does not end by itself.
 */
import { existsSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import { build, stop } from 'esbuild';
import { splitIntoBatches } from '#infra/build/bundle.ts';
import { planBundles, toFunctionName } from '#infra/build/bundles.ts';
import { type DeclaredFunctions, loadFunctions, PROJECT } from '#infra/build/declarations.ts';
import { loadRowKinds } from '#infra/build/row-kinds.ts';
import { getBundlesPath, getTemplatePath, Order, readAssemblyRecord, storeAssemblyRecord } from './assembly-folder.ts';
import { type BuilderReport, BundleRequest } from './builder-messages.ts';
import { BundleBuilder } from './bundle-builder.ts';
import { computeValueDigest, listInputs, readGraph } from './input-graph.ts';
import { bundlePackages, makeSeparateOptions, PLAIN_TABLE } from './separate-bundles.ts';

/** Files that determine how packages resolve and how files compile. */
const SETTINGS = ['package.json', 'package-lock.json', 'tsconfig.json'];
const BUNDLING = 'infra/local/build/separate-bundles.ts';
const TABLE_CLIENT = 'infra/local/stores/plain-dynamodb.ts';
const SYNTHESIS = 'infra/synth.ts';
/** A request for one of them waits for all. Fewer at once take more CPU time: 4 a third more than 16, 8 a tenth. */
const BUNDLES_BESIDE_REQUESTS = 8;

async function make({ folder, context, sources, watch, plainTable }: Order): Promise<void> {
  const requests = new Requests();
  const [functions, rowKinds, programs] = await Promise.all([loadFunctions(), loadRowKinds(), computeProgramDigests()]);
  const storedRecord = await readAssemblyRecord(folder);
  let record = { ...(storedRecord ?? { template: '', packages: '' }), sources: '', isComplete: false };
  const save = (change: Partial<typeof record>) => {
    record = { ...record, ...change };
    return storeAssemblyRecord(folder, record);
  };
  planBundles(getBundlesPath(folder), functions);
  await save({});

  const template = computeValueDigest([programs.synthesis, folder, context, functions, rowKinds]);
  const hasNewTemplate = template !== record.template;
  if (hasNewTemplate) {
    // Noted before the template is removed, so that an interruption leaves no wrong description.
    await save({ template: '' });
    await rm(getTemplatePath(folder), { recursive: true, force: true });
    // Loading the CDK takes half a second and 100 MB, so it is loaded only if the template must be made.
    const { synthesize } = await import('#infra/synth.ts');
    await synthesize({ outdir: getTemplatePath(folder), context, bundles: getBundlesPath(folder), local: true });
    await save({ template });
  }
  report({ kind: 'template' });

  const options = await makeSeparateOptions(getBundlesPath(folder), functions);
  const builder = await BundleBuilder.start({ functions, options, bundling: programs.bundling });
  const packages = computeValueDigest([programs.bundling, builder.packages, plainTable]);
  const hasNewPackages = packages !== record.packages;
  if (hasNewPackages) {
    await save({ packages: '' });
    await bundlePackages(options, builder.packages, plainTable ? PLAIN_TABLE : {});
  }
  await builder.forgetStale();
  await save({ packages, sources });
  requests.serve(builder);
  report({ kind: 'ready', needsRestart: hasNewTemplate || hasNewPackages });
  if (watch) return;

  await buildRest(builder, functions);
  if (builder.listStale().length > 0) return;
  await save({ isComplete: true });
  process.disconnect();
}

/** Gives way to the service, which records the demo at the same time. */
async function buildRest(builder: BundleBuilder, functions: DeclaredFunctions): Promise<void> {
  // esbuild inherits the priority when it starts again.
  await stop();
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  const earlyNames = findEarlyBundles(functions);
  const staleNames = builder
    .listStale()
    .toSorted((one, other) => Number(earlyNames.has(other)) - Number(earlyNames.has(one)));
  for (const names of splitIntoBatches(staleNames, BUNDLES_BESIDE_REQUESTS)) {
    await builder.settle();
    // A function that does not compile says so when it is called.
    await builder.build(names).catch(() => {});
  }
}

/** The bundles that the demo needs at once: those that record a run, and those that handle its events. */
const findEarlyBundles = ({ endpoints, streams, consumers }: DeclaredFunctions): ReadonlySet<string> =>
  new Set([
    'authorizer',
    ...[...endpoints.filter(({ area }) => area === 'recording'), ...streams, ...consumers].map(({ file }) =>
      toFunctionName(file),
    ),
  ]);

/** The requests for bundles. Those that come before the builder is ready wait for it. */
class Requests {
  readonly #builder = Promise.withResolvers<BundleBuilder>();

  constructor() {
    process.on('message', (message) => void this.#answer(BundleRequest.parse(message)));
    // The process that asked is gone.
    process.on('disconnect', () => process.exit());
  }

  serve(builder: BundleBuilder): void {
    this.#builder.resolve(builder);
  }

  async #answer({ number, name }: BundleRequest): Promise<void> {
    const builder = await this.#builder.promise;
    const error = await builder.ensure(name).then(
      () => undefined,
      (failure: unknown) => (failure instanceof Error ? failure.message : String(failure)),
    );
    report({ kind: 'bundle', number, error, sourceChanges: builder.sourceChanges });
  }
}

const report = (message: BuilderReport): void => void process.send?.(message);

async function computeProgramDigests(): Promise<{ readonly bundling: string; readonly synthesis: string }> {
  const { metafile } = await build({
    absWorkingDir: PROJECT,
    entryPoints: [BUNDLING, TABLE_CLIENT, SYNTHESIS],
    outdir: 'unused',
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    write: false,
    metafile: true,
  });
  const graph = readGraph(metafile.inputs);
  const digestFiles = (files: readonly string[]) =>
    computeValueDigest([process.version, ...[...SETTINGS, ...files].map((file) => [file, readText(file)])]);
  // Files from shared/ are left out, because they already count as inputs of the bundles.
  const bundling = listInputs(BUNDLING, graph).filter((file) => file.startsWith('infra/'));
  const client = listInputs(TABLE_CLIENT, graph);
  return { bundling: digestFiles([...bundling, ...client]), synthesis: digestFiles(listInputs(SYNTHESIS, graph)) };
}

/** A deleted file counts as empty. */
function readText(file: string): string {
  const path = join(PROJECT, file);
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

await make(Order.parse(JSON.parse(process.argv[2] ?? '')));
