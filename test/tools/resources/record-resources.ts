/**
 * `npm run resources` regenerates test/infra/stateful-resources.json from the templates. It refuses changes that would
 * make a deployment fail or lose data, unless `--accept` is given.
 */
import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { printError, step } from '#infra/cli/terminal/terminal.ts';
import { assemblyOf } from '#test/harness/assemblies.ts';
import { dangers, LIST, readList, statefulResources, VARIANTS } from '#test/infra/stateful-resources.ts';
import { type Synthesized, synthesizedIn } from '#test/infra/synthesized.ts';

const { accept } = parseArgs({ options: { accept: { type: 'boolean', default: false } } }).values;
const variants: Array<readonly [string, Synthesized]> = [];
for (const [name, context] of VARIANTS) {
  const assembly = await step(`Synthesizing ${name}`, () => assemblyOf(context));
  variants.push([name, await synthesizedIn(assembly)]);
}
const resources = await statefulResources(variants);
const found = dangers(await readList(), resources);
if (found.length > 0 && !accept) {
  const advice = 'Nothing was written. If you want all of these changes, run `npm run resources -- --accept`.';
  printError([...found, advice].join('\n'));
  process.exitCode = 1;
} else {
  await writeFile(LIST, JSON.stringify(resources));
  execFileSync('npx', ['biome', 'format', '--write', LIST]);
}
