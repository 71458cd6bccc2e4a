/** Measures how much the read model adds to the functions that record results. */
import { build } from 'esbuild';
import { bundleOptions } from '#infra/build/bundle.ts';
import { loadFunctions } from '#infra/build/declarations.ts';
import { trim } from '#infra/build/trim.ts';
import type { Measurement } from './budgets.ts';

const OF_ANALYTICS = /^shared\/(?:analytics\/|model\/analytics-)/;

export async function measureAnalyticsBytes(): Promise<Measurement[]> {
  const functions = await loadFunctions();
  const { plugins, ...options } = bundleOptions('unused', functions);
  const { metafile } = await build({ ...options, plugins: [trim, ...plugins], metafile: true, write: false });
  const recording = Object.entries(metafile.outputs).filter(([, { entryPoint = '' }]) =>
    entryPoint.startsWith('functions/recording/'),
  );
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
