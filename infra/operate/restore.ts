/** `npm run restore`: restores the data of a deployment to a point in time. Every step is idempotent. */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import * as z from 'zod';
import { PROJECT } from '#infra/build/declarations.ts';
import type { Environment } from '#infra/build/environments.ts';
import { readStackOutputs } from '#infra/cli/stack-outputs.ts';
import { FLAG, printLine, step, TEXT } from '#infra/cli/terminal/terminal.ts';
import { UsageError } from '#infra/cli/terminal/usage-error.ts';
import { readFileSettings } from '#infra/stacks/settings.ts';
import { deploy } from './deploy.ts';
import { confirm, parseEnvironment, readEnvironmentFile, runOperation } from './operation.ts';
import { checkTable, configureTable, createTable, type Restore, readStreamArn } from './restored-table.ts';
import { changeTraffic } from './traffic.ts';

const USAGE = `Usage: npm run restore -- --env <name> --at <time> [--table <name>] [--without-deployment] [--yes]
       npm run restore -- --env <name> --resume

Pauses the traffic of a deployment, restores its table to a point in time under a new name, deploys it and resumes.
After an interruption, the same command continues. Uses the credentials and region of the AWS CLI.

  --env dev|staging|prod   environment
  --at <time>              point in time within the last 35 days, such as 2026-11-20T10:00:00Z
  --table <name>           name of the new table. Default: rundown-<env>-restored-<time>
  --without-deployment     stop before the deployment, for a pipeline that deploys the commit (optional)
  --resume                 only resume the traffic, with the table that the stack uses now
  --yes                    restore, and accept new permissions, without asking for confirmation (optional)`;

const OPTIONS = { env: TEXT, at: TEXT, table: TEXT, 'without-deployment': FLAG, resume: FLAG, yes: FLAG, help: FLAG };

function parseRestoreTime(option: string | undefined): Date {
  if (option === undefined) throw new UsageError('Missing --at');
  const { data } = z.iso.datetime({ offset: true }).safeParse(option);
  if (data === undefined) throw new UsageError('--at must be a time with a time zone, such as 2026-11-20T10:00:00Z');
  return new Date(data);
}

function parseTableName(option: string | undefined, { name }: Environment, at: Date): string {
  const prefix = `rundown-${name}-`;
  const table = option ?? `${prefix}restored-${at.toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}`;
  if (!table.startsWith(prefix)) throw new UsageError(`--table must begin with ${prefix}`);
  return table;
}

async function restore(): Promise<void> {
  const { values } = parseArgs({ options: OPTIONS });
  if (values.help) return printLine(USAGE);
  const defaults = parseEnvironment(values.env);
  if (values.resume) return resumeOnly(defaults);
  const at = parseRestoreTime(values.at);
  const target = parseTableName(values.table, defaults, at);
  const { environment, kmsKey } = readFileSettings(join(PROJECT, 'infra/environments'), defaults.name);
  const { yes = false, 'without-deployment': withoutDeployment = false } = values;
  const { TableName: source, StageArn: stageArn } = await readStackOutputs(environment.name);
  const restoration = { environment, source, target, at, kmsKey };
  await checkTable(restoration);
  await confirm(describePlan({ ...restoration, withoutDeployment }), { yes });
  const stage = { environment: environment.name, stageArn };
  const stopAdvice = printAdviceOnExit(environment);
  await step('pause requests, queues, the stream and schedules', () => changeTraffic({ ...stage, isOn: false }));
  await step(`restore the table ${target}`, () => createTable(restoration));
  await step('set stream, maximum capacity, key, TTL, recovery, tags and deletion protection', () =>
    configureTable(restoration),
  );
  if (source !== target) {
    const settings = { table: target, tableStream: await readStreamArn(target) };
    const file = await writeSettings(environment, settings);
    printLine(`${file} now names the restored table. Commit it: the next deployment is refused without this change.`);
    if (withoutDeployment) {
      stopAdvice();
      return printLine(`Traffic is paused. Commit and deploy ${file}, then run the same command again to resume.`);
    }
    const context = { ...settings, change: 'table,tableStream' };
    await deploy(PROJECT, { environment: environment.name, context, asks: !yes });
  }
  await step('resume', () => changeTraffic({ ...stage, isOn: true }));
  stopAdvice();
  printLine(`Rundown-${environment.name} serves requests again, with the table ${target}.`);
  printLine(
    'Read infra/operate/README.md, "After a restore": credentials that were revoked after the restored time are valid again. Then compare the files with the table:',
  );
  printLine(`  npm run admin -- files reconcile --table ${target} --bucket <ArtifactsBucket>`);
}

async function resumeOnly({ name }: Environment): Promise<void> {
  const { TableName, StageArn } = await readStackOutputs(name);
  await step('resume', () => changeTraffic({ environment: name, stageArn: StageArn, isOn: true }));
  printLine(`Rundown-${name} serves requests again, with the table ${TableName}.`);
}

const describePlan = ({
  environment: { name },
  source,
  target,
  at,
  withoutDeployment,
}: Restore & { readonly withoutDeployment: boolean }): readonly string[] =>
  source === target
    ? [`Rundown-${name} uses the table ${target} already. This completes its settings and resumes the traffic.`]
    : [
        `This restores the data of Rundown-${name} to ${at.toISOString()}:`,
        '  1. pause requests, queues, the stream and schedules. Clients get 429 until the end',
        `  2. restore the table ${source} as ${target}, which takes from minutes to hours`,
        '  3. set its stream, maximum capacity, key, TTL, recovery, tags and deletion protection',
        `  4. write it to infra/environments/${name}.json${withoutDeployment ? ', and stop' : ' and deploy it'}`,
        ...(withoutDeployment ? [] : ['  5. resume']),
        `Everything recorded after that time will be missing. The table ${source} is kept.`,
      ];

/** Prints how to continue if the program exits while the traffic is paused. The result turns this off. */
function printAdviceOnExit({ name }: Environment): () => void {
  const advise = () => {
    printLine(`Traffic of Rundown-${name} is paused. Run the same command again to continue.`);
    printLine(`To go back to the current table instead: npm run restore -- --env ${name} --resume`);
  };
  const onInterrupt = () => process.exit(INTERRUPTED);
  process.on('exit', advise).on('SIGINT', onInterrupt);
  return () => void process.off('exit', advise).off('SIGINT', onInterrupt);
}

/** Exit status after Ctrl-C. */
const INTERRUPTED = 130;

/** Returns the path of the file, relative to the project. */
async function writeSettings({ name }: Environment, settings: object): Promise<string> {
  const file = `infra/environments/${name}.json`;
  const path = join(PROJECT, file);
  const before = await readEnvironmentFile(path);
  await writeFile(path, `${JSON.stringify({ ...before, ...settings }, null, 2)}\n`);
  return file;
}

await runOperation(USAGE, restore);
