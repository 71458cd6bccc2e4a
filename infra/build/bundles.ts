/** The folders of bundled functions. */
import { basename, join } from 'node:path';
import type { DeclaredFunctions } from './declarations.ts';

/**
 * The folders with `index.js` (CommonJS, minified, exports `handler`) and `index.js.map`, by the file name of their
 * function without its extension, for example `get-test-results` or `authorizer`. The pages of a folder share one
 * bundle, whose key is the name of the folder.
 */
export type Bundles = ReadonlyMap<string, string>;

/** Looks up the bundles that `bundleFunctions` wrote to this directory. */
export function bundlesIn(directory: string, functions: DeclaredFunctions): Bundles {
  const names = [...functionFiles(functions).map(functionName), ...functions.pageFunctions.map(({ folder }) => folder)];
  return new Map(names.map((name) => [name, join(directory, name)]));
}

export const functionName = (file: string): string => basename(file, '.ts');

/** The folder with the bundle of one file under `functions/`, or of one folder of pages. */
export function bundleOf(bundles: Bundles, file: string): string {
  const bundle = bundles.get(functionName(file));
  if (bundle === undefined) throw new Error(`${file} has no bundle`);
  return bundle;
}

/** The files that each become one function. The files of pages are not included, because pages share functions. */
export const functionFiles = ({
  endpoints,
  routeFunctions,
  consumers,
  schedules,
  streams,
}: DeclaredFunctions): string[] => [
  'functions/authorizer.ts',
  ...[...endpoints, ...routeFunctions, ...consumers, ...schedules, ...streams].map(({ file }) => file),
];
