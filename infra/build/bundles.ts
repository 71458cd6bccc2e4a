/** The folders of bundled functions. */
import { mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { DeclaredFunctions } from './declarations.ts';

/**
 * The folders with `index.js` (CommonJS, minified, exports `handler`), by the file name of their function without its
 * extension, for example `get-test-results` or `authorizer`. The pages and forms of a Lambda function share one
 * bundle, whose key is its name.
 */
export type Bundles = ReadonlyMap<string, Bundle>;

export interface Bundle {
  readonly folder: string;
  /** What the template has instead of the digest of the content, for a bundle that is built later. */
  readonly assetHash?: string;
}

/** The bundles that `bundleFunctions` wrote to this directory. */
export const listBundles = (directory: string, functions: DeclaredFunctions): Bundles =>
  new Map(listBundleNames(functions).map((name) => [name, { folder: join(directory, name) }]));

/** The bundles that `npm start` builds in this directory, when the template already exists. Makes their folders. */
export function planBundles(directory: string, functions: DeclaredFunctions): Bundles {
  const bundles = listBundleNames(functions).map(
    (name) => [name, { folder: join(directory, name), assetHash: name }] as const,
  );
  for (const [, { folder }] of bundles) mkdirSync(folder, { recursive: true });
  return new Map(bundles);
}

const listBundleNames = (functions: DeclaredFunctions): string[] => [
  ...listFunctionFiles(functions).map(toFunctionName),
  ...functions.pageFunctions.map(({ folder }) => folder),
];

export const toFunctionName = (file: string): string => basename(file, '.ts');

/** The bundle of one file under `functions/`, or of a function that serves pages. */
export function getBundle(bundles: Bundles, file: string): Bundle {
  const bundle = bundles.get(toFunctionName(file));
  if (bundle === undefined) throw new Error(`${file} has no bundle`);
  return bundle;
}

/** The files that each become one function. The files of pages are not included, because pages share functions. */
export const listFunctionFiles = ({
  endpoints,
  routeFunctions,
  consumers,
  schedules,
  streams,
}: DeclaredFunctions): string[] => [
  'functions/authorizer.ts',
  ...[...endpoints, ...routeFunctions, ...consumers, ...schedules, ...streams].map(({ file }) => file),
];
