/** `npm run sam`: writes templates, bundles and variables, with which `sam local` runs functions in containers. */
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { printLine, quiet, runProgram, step } from '#infra/cli/terminal/terminal.ts';
import { synthesize } from '#infra/synth.ts';
import { prepareForSam } from './sam-assembly.ts';
import { DEFAULT_BUCKET, DEFAULT_TABLE } from './template/physical-ids.ts';

const ENDPOINT = 'http://host.docker.internal:4566';

const USAGE = `Usage: npm run sam -- [options]

Writes what "sam local" needs: the templates of dev, and the variables of every function. It starts nothing.
The table and the bucket must exist at the endpoint. To create them: RUNDOWN_AWS_ENDPOINT=http://127.0.0.1:4566 npm start

  --endpoint <URL>   LocalStack or MiniStack, as containers reach it. Default: ${ENDPOINT}
  --table <name>     name of the table. Default: ${DEFAULT_TABLE}, which npm start creates
  --bucket <name>    name of the bucket. Default: ${DEFAULT_BUCKET}, which npm start creates
  --origin <URL>     address of sam local. Default: http://127.0.0.1:3000
  --out <folder>     folder to write to, which is emptied first. Default: cdk.out/sam`;

const text = (value: string) => ({ type: 'string', default: value }) as const;
const OPTIONS = {
  endpoint: text(ENDPOINT),
  table: text(DEFAULT_TABLE),
  bucket: text(DEFAULT_BUCKET),
  origin: text('http://127.0.0.1:3000'),
  out: text('cdk.out/sam'),
  help: { type: 'boolean' },
} as const;

async function prepare(): Promise<void> {
  const { endpoint, table, bucket, origin, out, help } = parseArgs({ options: OPTIONS }).values;
  if (help) return printLine(USAGE);
  await rm(out, { recursive: true, force: true });
  await step('Synthesizing the CDK app', () =>
    synthesize({ outdir: out, context: { privateWebhooks: 'true', settingsFile: 'false' } }),
  );
  const names = { tableName: table, bucketName: bucket, sqsEndpoint: endpoint, origin };
  const variables = await prepareForSam(out, names);
  const file = join(out, 'variables.json');
  await writeFile(file, JSON.stringify(variables, null, 2));
  printLine(quiet(`${Object.keys(variables).length} functions. Run them in containers, with the AWS SAM CLI:`));
  printLine(
    `sam local start-api -t ${join(out, 'Rundown-dev.template.json')} --env-vars ${file} --add-host host.docker.internal:host-gateway`,
  );
}

await runProgram(USAGE, prepare);
