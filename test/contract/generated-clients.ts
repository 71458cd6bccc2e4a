/**
 * Generates clients from the OpenAPI document as its users do, type-checks those in TypeScript, and calls a running
 * service with each client. The generators are installed into a temporary folder.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { step } from '#infra/cli/terminal/terminal.ts';
import type { StandingService } from './standing-service.ts';

/** Runs a program in a folder, and returns its exit status. */
export type Run = (
  program: string,
  args: readonly string[],
  how: { cwd: string; env?: Record<string, string>; quiet?: boolean },
) => Promise<number | undefined>;

const PACKAGES = [
  'orval@7.13.2',
  '@hey-api/openapi-ts@0.95.0',
  'openapi-typescript@7.13.0',
  'openapi-fetch@0.15.0',
  '@stoplight/spectral-cli@6.16.3',
  'typescript@5.9.3',
];
export const PYTHON_GENERATOR = 'openapi-python-client==0.29.1';

const CONFIGURATIONS = {
  'orval.config.cjs': `module.exports = { r: { input: 'openapi.json', output: { target: 'orval.ts', client: 'fetch', baseUrl: process.env.SERVER } } };`,
  '.spectral.yaml': 'extends: ["spectral:oas"]\nrules: { info-contact: off }\n',
  'tsconfig.json': JSON.stringify({
    compilerOptions: {
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      target: 'es2022',
      lib: ['es2022', 'dom', 'dom.iterable'],
      module: 'esnext',
      moduleResolution: 'bundler',
      types: [],
    },
    files: ['read.ts'],
  }),
};

/**
 * Returns a program that reads a run through each generated TypeScript client, because a run is nested data, and a
 * project through one of the clients.
 */
const readTypeScript = ({ projectId, runId }: Readonly<Record<string, string>>) => `
import createClient from 'openapi-fetch';
import * as hey from './hey/index';
import { client } from './hey/client.gen';
import * as orval from './orval';
import type { paths } from './types';
declare const process: { env: Record<string, string> };
const baseUrl = process.env.SERVER;
const headers = { authorization: \`Bearer \${process.env.KEY}\` };
client.setConfig({ baseUrl, headers });
const typed = createClient<paths>({ baseUrl, headers });
const runs = await orval.getRun('${runId}', { headers });
const read = {
  orval: runs.status === 200 ? runs.data.data.specs.map(({ spec }) => spec) : runs.status,
  'hey-api': (await hey.getRun({ path: { runId: '${runId}' } })).data?.data.specs.map(({ spec }) => spec),
  'openapi-typescript': (await typed.GET('/runs/{runId}', { params: { path: { runId: '${runId}' } } })).data?.data.specs.map(({ spec }) => spec),
};
const project = (await hey.getProject({ path: { projectId: '${projectId}' } })).data?.data.name;
const projectCount = (await hey.listProjects()).data?.data.length;
const runCount = (await hey.listRuns({ path: { projectId: '${projectId}' } })).data?.data.length;
console.log(projectCount, project, runCount, JSON.stringify(read));
if (!projectCount || !project || !runCount || new Set(Object.values(read).map((one) => JSON.stringify(one))).size !== 1 || !read.orval) throw new Error('The clients read different answers, which are printed above');
`;

const readPython = ({ projectId, runId }: Readonly<Record<string, string>>) => `
import importlib, os, pkgutil, rundown_client.api as api
for module in pkgutil.walk_packages(api.__path__, 'rundown_client.api.'): importlib.import_module(module.name)
from rundown_client import AuthenticatedClient
from rundown_client.api.api import get_project, get_run, list_projects, list_runs
client = AuthenticatedClient(base_url=os.environ['SERVER'], token=os.environ['KEY'])
print('openapi-python-client', len(list_projects.sync(client=client).data), get_project.sync(client=client, project_id='${projectId}').data.name)
print('openapi-python-client', len(list_runs.sync(client=client, project_id='${projectId}').data), [spec.spec for spec in get_run.sync(client=client, run_id='${runId}').data.specs])
`;

export async function generatedClients(run: Run, { origin, key, ids }: StandingService, folder: string) {
  const env = { SERVER: `${origin}/v1`, KEY: key };
  const must = async (name: string, ...call: Parameters<Run>) => {
    const status = await step(name, () => run(...call));
    if (status !== 0) throw new Error(`${name} exited with ${status}. Its output above says why`);
  };
  const inFolder = { cwd: folder, env };
  const tool = (name: string) => join(folder, 'node_modules/.bin', name);
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  for (const [name, text] of Object.entries(CONFIGURATIONS)) await writeFile(join(folder, name), text);
  await writeFile(join(folder, 'openapi.json'), await (await fetch(`${origin}/v1/docs/openapi.json`)).text());
  await writeFile(join(folder, 'read.ts'), readTypeScript(ids));
  await must('Installing generators', 'npm', ['install', '--silent', ...PACKAGES], inFolder);
  await must('spectral', tool('spectral'), ['lint', '--fail-severity', 'warn', 'openapi.json'], inFolder);
  await must('orval', tool('orval'), ['--config', 'orval.config.cjs'], inFolder);
  await must('openapi-typescript', tool('openapi-typescript'), ['openapi.json', '-o', 'types.ts'], inFolder);
  const hey = ['-i', 'openapi.json', '-o', 'hey', '-c', '@hey-api/client-fetch'];
  await must('hey-api', tool('openapi-ts'), hey, inFolder);
  await must('Type-checking the clients', tool('tsc'), ['-p', '.'], inFolder);
  const bundle = { entryPoints: [join(folder, 'read.ts')], outfile: join(folder, 'read.js') };
  await build({ ...bundle, bundle: true, platform: 'node', format: 'esm', logLevel: 'error' });
  await must('Reading answers', process.execPath, ['read.js'], inFolder);
}

/**
 * Generates a Python client and calls the service with it. `venv` is a virtual environment that contains the generator.
 */
export async function generatedPythonClient(
  run: Run,
  { origin, key, ids }: StandingService,
  { folder, venv }: { folder: string; venv: string },
): Promise<void> {
  const env = { SERVER: `${origin}/v1`, KEY: key, PATH: `${join(venv, 'bin')}:${process.env['PATH']}` };
  const client = join(folder, 'openapi-python-client');
  const document = join(folder, 'openapi.json');
  const args = ['generate', '--fail-on-warning', '--path', document, '--output-path', client];
  const made = await run(join(venv, 'bin/openapi-python-client'), args, { cwd: folder, env });
  if (made !== 0) throw new Error('openapi-python-client could not generate a client. Its output above says why');
  await writeFile(join(client, 'read.py'), readPython(ids));
  if ((await run(join(venv, 'bin/python'), ['read.py'], { cwd: client, env })) !== 0)
    throw new Error('The generated Python client could not read an answer. Its output above says why');
}
