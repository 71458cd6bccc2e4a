/**
 * Generates clients in Go, Java, Python and TypeScript by openapi-generator, oapi-codegen and the newest orval, and
 * compiles them. Calls four operations by the Go client. A step whose language is not installed is named and not run.
 */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { printLine } from '#infra/cli/terminal/terminal.ts';
import type { Run } from './generated-clients.ts';
import type { StandingService } from './standing-service.ts';

const JAR = { group: 'org.openapitools', name: 'openapi-generator-cli', version: '7.23.0' };
const OAPI_CODEGEN = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2';
const ORVAL = 'orval@8.38.0';
const PYTHON_PACKAGES = ['pydantic', 'urllib3', 'python-dateutil', 'typing-extensions', 'lazy-imports'];

const ORVAL_CONFIGURATION = `export default { r: { input: '../openapi.json', output: { target: 'orval.ts', client: 'fetch', baseUrl: 'http://localhost' } } };`;
const TSC_FLAGS =
  '--noEmit --strict --target es2022 --lib es2022,dom,dom.iterable --module esnext --moduleResolution bundler --skipLibCheck';
const IMPORT_ALL = `
import importlib, pkgutil, openapi_client
for module in pkgutil.walk_packages(openapi_client.__path__, 'openapi_client.'): importlib.import_module(module.name)
`;

const callInGo = ({ projectId, runId }: Readonly<Record<string, string>>) => `package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"rundown/client"
)

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	authorize := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+os.Getenv("KEY"))
		return nil
	}
	api, err := client.NewClientWithResponses(os.Getenv("SERVER"), client.WithRequestEditorFn(authorize))
	must(err)
	ctx := context.Background()
	projects, err := api.ListProjectsWithResponse(ctx, &client.ListProjectsParams{})
	must(err)
	project, err := api.GetProjectWithResponse(ctx, "${projectId}")
	must(err)
	runs, err := api.ListRunsWithResponse(ctx, "${projectId}", &client.ListRunsParams{})
	must(err)
	run, err := api.GetRunWithResponse(ctx, "${runId}")
	must(err)
	fmt.Println("oapi-codegen", len(projects.JSON200.Data), project.JSON200.Data.Name, len(runs.JSON200.Data), len(run.JSON200.Data.Specs))
}
`;

/** `folder` contains the document as `openapi.json`. */
export async function compileClients(run: Run, { origin, key, ids }: StandingService, folder: string): Promise<void> {
  const env = { SERVER: `${origin}/v1`, KEY: key };
  const must = async (what: string, program: string, args: readonly string[], cwd = folder) => {
    printLine(`${what}: ${program}`);
    const status = await run(program, args, { cwd, env });
    if (status !== 0) throw new Error(`${what}: ${program} exited with ${status}. Its output above says why`);
  };
  const has = async (program: string, flag: string, what: string): Promise<boolean> => {
    const isThere = (await run(program, [flag], { cwd: folder, quiet: true })) === 0;
    if (!isThere) printLine(`NOT RUN: ${what} needs ${program}, which is not installed.`);
    return isThere;
  };

  await mkdir(join(folder, 'orval'));
  await writeFile(join(folder, 'orval/orval.config.mjs'), ORVAL_CONFIGURATION);
  await must('orval', 'npx', ['--yes', ORVAL, '--config', 'orval.config.mjs'], join(folder, 'orval'));
  const tsc = join(folder, 'node_modules/.bin/tsc');
  await must('orval', tsc, [...TSC_FLAGS.split(' '), 'orval/orval.ts']);

  const hasGo = await has('go', 'version', 'oapi-codegen and openapi-generator for Go');
  if (hasGo) await compileByOapiCodegen();
  if (!(await has('java', '-version', 'openapi-generator'))) return;
  if (!(await has('mvn', '--version', 'openapi-generator'))) return;
  const artifact = `${JAR.group}:${JAR.name}:${JAR.version}`;
  const copy = ['-q', 'dependency:copy', `-Dartifact=${artifact}`, `-DoutputDirectory=${folder}`];
  await must('openapi-generator', 'mvn', copy);
  const generate = async (name: string, ...properties: readonly string[]) => {
    const jar = join(folder, `${JAR.name}-${JAR.version}.jar`);
    const output = ['-i', 'openapi.json', '-g', name, '-o', name, ...properties];
    await must(name, 'java', ['-jar', jar, 'generate', ...output]);
    return join(folder, name);
  };
  await must('typescript-fetch', tsc, ['--noEmit', '-p', await generate('typescript-fetch', '-p', 'npmName=rundown')]);
  await must('java', 'mvn', ['-q', 'compile'], await generate('java'));
  if (hasGo) {
    const client = await generate('go', '-p', 'withGoMod=false');
    // Its tests import the repository into which they would be pushed.
    await rm(join(client, 'test'), { recursive: true });
    await writeFile(join(client, 'go.mod'), 'module rundown\n\ngo 1.22\n');
    await must('go', 'go', ['mod', 'tidy'], client);
    await must('go', 'go', ['build', '.'], client);
  }
  if (!(await has('python3', '--version', 'openapi-generator for Python'))) return;
  const client = await generate('python');
  await must('python', 'python3', ['-m', 'venv', 'venv'], client);
  const python = join(client, 'venv/bin/python');
  await must('python', python, ['-m', 'pip', 'install', '--quiet', ...PYTHON_PACKAGES], client);
  await must('python', python, ['-c', IMPORT_ALL], client);

  async function compileByOapiCodegen(): Promise<void> {
    const module = join(folder, 'oapi-codegen');
    await mkdir(join(module, 'client'), { recursive: true });
    await writeFile(join(module, 'go.mod'), 'module rundown\n\ngo 1.22\n');
    await writeFile(join(module, 'main.go'), callInGo(ids));
    const output = ['-generate', 'types,client', '-package', 'client', '-o', 'client/client.go', '../openapi.json'];
    await must('oapi-codegen', 'go', ['run', OAPI_CODEGEN, ...output], module);
    await must('oapi-codegen', 'go', ['mod', 'tidy'], module);
    await must('oapi-codegen', 'go', ['run', '.'], module);
  }
}
