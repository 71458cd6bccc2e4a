/** Loads one bundled function as Lambda's Node runtime does: CommonJS, with separate environment and output. */
import { Console } from 'node:console';
import { builtinModules, createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Writable } from 'node:stream';
import type { NoteWrite, RefuseCall } from './role-of-caller.ts';
import { compileScript } from './script.ts';
import {
  callAs,
  type FunctionGlobals,
  loadSharedPackages,
  OWN_BUNDLE,
  PARAMETERS,
  type ReplacedModules,
  SHARED_PACKAGES,
} from './shared-packages.ts';
import { resolveSourcePlaces } from './source-maps.ts';

/** Receives the output of a function, line by line. */
export interface FunctionOutput {
  readonly onLog: (line: string) => void;
  readonly onFault: (line: string) => void;
}

interface InvocationContext {
  readonly functionName: string;
  readonly functionVersion: string;
  readonly invokedFunctionArn: string;
  readonly memoryLimitInMB: string;
  readonly awsRequestId: string;
  readonly callbackWaitsForEmptyEventLoop: boolean;
  getRemainingTimeInMillis(): number;
}

export type FunctionHandler = (event: unknown, context: InvocationContext) => unknown;

export interface HandlerSource {
  /** The folder that a deployment would zip. */
  readonly directory: string;
  /** The template's handler: `file.export`. */
  readonly handler: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly modules?: ReplacedModules;
  readonly fetch?: typeof fetch;
  readonly refuseCall?: RefuseCall;
  readonly noteWrite?: NoteWrite | undefined;
  /** The file with the packages that all functions share. If it is set, `own.js` runs, which contains no packages. */
  readonly packages?: string | undefined;
}

export const getBundleFile = ({
  directory,
  handler,
  packages,
}: Pick<HandlerSource, 'directory' | 'handler' | 'packages'>): string =>
  join(directory, `${packages ? OWN_BUNDLE : handler.slice(0, handler.lastIndexOf('.'))}.js`);

/** Each call evaluates the bundle anew, so that calls share no state. Throws if it throws or exports no handler. */
export function loadHandler(source: HandlerSource, output: FunctionOutput): FunctionHandler {
  const { handler, environment, modules = {}, fetch = globalThis.fetch, refuseCall, noteWrite, packages } = source;
  const file = getBundleFile(source);
  const process = makeProcess({ ...environment }, output);
  const globals: FunctionGlobals = { process, console: makeConsole(process), fetch, modules, refuseCall, noteWrite };
  const handlerExport = callAs(globals, () => evaluateBundle(file, globals, packages))[
    handler.slice(handler.lastIndexOf('.') + 1)
  ];
  if (!isHandler(handlerExport)) throw new Error(`Runtime.HandlerNotFound: ${handler} is undefined or not exported`);
  return packages ? (event, context) => callAs(globals, () => handlerExport(event, context)) : handlerExport;
}

function evaluateBundle(file: string, globals: FunctionGlobals, packages: string | undefined): Record<string, unknown> {
  const module: { exports: Record<string, unknown> } = { exports: {} };
  const require = makeRequire(file, { ...globals.modules, process: globals.process }, packages);
  const { process, console, fetch } = globals;
  const script = compileScript(file, PARAMETERS).runInThisContext();
  script(module.exports, require, module, file, dirname(file), process, console, fetch);
  return module.exports;
}

const isHandler = (value: unknown): value is FunctionHandler => typeof value === 'function';

/** Hides the host's environment, so that a variable that the template lacks is missing locally as well. */
function makeProcess(env: Record<string, string>, { onLog, onFault }: FunctionOutput): NodeJS.Process {
  const overrides = new Map<string | symbol, unknown>([
    ['env', env],
    ['stdout', makeLineWriter(onLog)],
    ['stderr', makeLineWriter(onFault)],
  ]);
  return new Proxy(process, {
    get: (target, name) => (overrides.has(name) ? overrides.get(name) : Reflect.get(target, name)),
  });
}

/** A console whose `info` and `error` log a single object as one line of JSON, as in Lambda's JSON log format. */
function makeConsole({ stdout, stderr }: NodeJS.Process): Console {
  const functionConsole = new Console({ stdout, stderr });
  for (const level of ['info', 'error'] as const) {
    const write = functionConsole[level].bind(functionConsole);
    functionConsole[level] = (first: unknown, ...rest) =>
      typeof first === 'object' && rest.length === 0 ? write(JSON.stringify(first)) : write(first, ...rest);
  }
  return functionConsole;
}

function makeLineWriter(sink: (line: string) => void): Writable {
  return new Writable({
    decodeStrings: false,
    write(chunk, _encoding, callback) {
      sink(resolveSourcePlaces(String(chunk).trimEnd()));
      callback();
    },
  });
}

/** Provides Node's built-in modules, some of them replaced, and the bundle of shared packages, if there is one. */
function makeRequire(
  file: string,
  replacedModules: Readonly<Record<string, unknown>>,
  packages: string | undefined,
): (name: string) => unknown {
  const require = createRequire(file);
  return (name) => {
    const moduleName = name.replace(/^node:/, '');
    if (moduleName in replacedModules) return replacedModules[moduleName];
    if (packages && name === SHARED_PACKAGES) return loadSharedPackages(packages);
    if (name.startsWith('node:') || builtinModules.includes(moduleName)) return require(name);
    throw new Error(`Cannot find module '${name}': it is not in the bundle ${file}`);
  };
}
