/** Measures how many bytes of analytics code a recording function contains, for the function that contains the most. */
import { build } from 'esbuild';
import { makeBundleOptions } from '#infra/build/bundle.ts';
import { loadFunctions } from '#infra/build/declarations.ts';
import { trimPart } from '#infra/build/trim.ts';
import type { Measurement } from './budgets.ts';

const OF_ANALYTICS = /^shared\/(?:analytics\/|model\/analytics\/)/;

export async function measureAnalyticsBytes(): Promise<Measurement[]> {
  const functions = await loadFunctions();
  const { plugins, entryPoints: every, ...options } = await makeBundleOptions('unused', functions);
  const entryPoints = every.filter((entry) => entry.in.startsWith('functions/recording/'));
  const all = [trimPart, ...plugins];
  const { metafile } = await build({ ...options, entryPoints, plugins: all, metafile: true, write: false });
  const recording = Object.entries(metafile.outputs).filter(([, { entryPoint }]) => entryPoint !== undefined);
  const sizes = recording.map(([file, { inputs }]) => ({
    file,
    bytes: Object.entries(inputs).reduce(
      (sum, [path, { bytesInOutput }]) => sum + (OF_ANALYTICS.test(path) ? bytesInOutput : 0),
      0,
    ),
  }));
  const [largest] = sizes.sort((one, other) => other.bytes - one.bytes);
  if (!largest) throw new Error('There are no functions in functions/recording');
  return [{ name: 'analyticsKilobytes', measured: largest.bytes / 1000, note: largest.file }];
}
