/**
 * `npm run bench` measures costs and compares them with the budgets. It fails if a measurement exceeds the `must` of
 * its budget. Costs are counted in the capacity units that the table reports, and rates are relative to a bare server.
 * `--quick` measures with less data. `--only <text>` runs only the steps with this text in their titles.
 * `--markdown` prints tables for a README.
 */
import { parseArgs } from 'node:util';
import { printError, printLine } from '#infra/cli/terminal/terminal.ts';
import { prepareSetup } from './bench-service.ts';
import { step } from './progress.ts';
import { budgetTable, markdown, plain, ratioTable, verdictOf } from './report.ts';
import { type BenchStep, type Measured, STEPS } from './steps.ts';

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true, default: [] },
    markdown: { type: 'boolean', default: false },
  },
});

const chosen = STEPS.filter(
  ({ title }) =>
    values.only.length === 0 || values.only.some((text) => title.toLowerCase().includes(text.toLowerCase())),
);
if (chosen.length === 0) {
  printError(
    `No step has ${values.only.join(' or ')} in its title. The steps:\n${STEPS.map(({ title }) => `  ${title}`).join('\n')}`,
  );
  process.exitCode = 2;
} else {
  await bench(chosen);
}

async function bench(steps: readonly BenchStep[]): Promise<void> {
  const setup = await step('Synthesizing the CDK app and starting the stores', prepareSetup);
  const results: Measured[] = [];
  try {
    for (const { title, measure } of steps) {
      results.push(await step(title, () => measure(setup, { isQuick: values.quick })));
    }
  } finally {
    await setup.close();
    // If a step fails after an hour, the results of the earlier steps are still printed.
    show(results);
  }
}

function show(results: readonly Measured[]): void {
  const measurements = results.flatMap((result) => result.measurements ?? []);
  const ratios = results.flatMap((result) => result.ratios ?? []);
  const print = values.markdown ? markdown : plain;
  if (measurements.length > 0) printLine(print(budgetTable(measurements)));
  if (ratios.length > 0) printLine(`\n${print(ratioTable(ratios))}`);
  const missed = measurements.filter((measurement) => verdictOf(measurement) === 'missed');
  if (missed.length === 0) return;
  printError(`Exceeded budgets: ${missed.length}, marked "missed" in the table. Find the change that raised the cost.`);
  process.exitCode = 1;
}
