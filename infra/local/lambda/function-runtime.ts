/** Loads one bundled function as Lambda's Node runtime does: CommonJS, with separate environment and output. */
import { Console } from 'node:console';
import { builtinModules, createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Writable } from 'node:stream';
import type { RefuseCall } from './role-of-caller.ts';
import { scriptOf } from './script.ts';
import {
  callAs,
  type FunctionGlobals,
  OWN_BUNDLE,
  PARAMETERS,
  type ReplacedModules,
  SHARED_PACKAGES,
  sharedPackages,
} from './shared-packages.ts';
import { nameSources } from './source-maps.ts';

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
  /** The file with the packages that all functions share. If it is set, `own.js` runs, which contains no packages. */
  readonly packages?: string | undefined;
}

/** The file that `loadHandler` loads. */
export const bundleFile = ({
  directory,
  handler,
  packages,
}: Pick<HandlerSource, 'directory' | 'handler' | 'packages'>): string =>
  join(directory, `${packages ? OWN_BUNDLE : handler.slice(0, handler.lastIndexOf('.'))}.js`);

/**
 * Evaluates the function's own bundle at each call, so that two calls share none of its state. Throws if the bundle
 * throws, or if it does not export the handler.
 */
export function loadHandler(source: HandlerSource, output: FunctionOutput): FunctionHandler {
  const { handler, environment, modules = {}, fetch = globalThis.fetch, refuseCall, packages } = source;
  const file = bundleFile(source);
  const process = processOf({ ...environment }, output);
  const own: FunctionGlobals = { process, console: consoleOf(process), fetch, modules, refuseCall };
  const exported = callAs(own, () => evaluated(file, own, packages))[handler.slice(handler.lastIndexOf('.') + 1)];
  if (!isHandler(exported)) throw new Error(`Runtime.HandlerNotFound: ${handler} is undefined or not exported`);
  return packages ? (event, context) => callAs(own, () => exported(event, context)) : exported;
}

function evaluated(file: string, own: FunctionGlobals, packages: string | undefined): Record<string, unknown> {
  const module: { exports: Record<string, unknown> } = { exports: {} };
  const require = requireOf(file, { ...own.modules, process: own.process }, packages);
  const { process, console, fetch } = own;
  const script = scriptOf(file, PARAMETERS).runInThisContext();
  script(module.exports, require, module, file, dirname(file), process, console, fetch);
  return module.exports;
}

const isHandler = (value: unknown): value is FunctionHandler => typeof value === 'function';

/**
 * The `process` of a function. Hides the host's environment, so that a variable that the template lacks is missing
 * locally as well.
 */
function processOf(env: Record<string, string>, { onLog, onFault }: FunctionOutput): NodeJS.Process {
  const own = new Map<string | symbol, unknown>([
    ['env', env],
    ['stdout', lines(onLog)],
    ['stderr', lines(onFault)],
  ]);
  return new Proxy(process, {
    get: (target, name) => (own.has(name) ? own.get(name) : Reflect.get(target, name)),
  });
}

/** A console whose `info` and `error` log a single object as one line of JSON, as in Lambda's JSON log format. */
function consoleOf({ stdout, stderr }: NodeJS.Process): Console {
  const own = new Console({ stdout, stderr });
  for (const level of ['info', 'error'] as const) {
    const write = own[level].bind(own);
    own[level] = (first: unknown, ...rest) =>
      typeof first === 'object' && rest.length === 0 ? write(JSON.stringify(first)) : write(first, ...rest);
  }
  return own;
}

function lines(sink: (line: string) => void): Writable {
  return new Writable({
    decodeStrings: false,
    write(chunk, _encoding, done) {
      sink(nameSources(String(chunk).trimEnd()));
      done();
    },
  });
}

/**
 * The function `require` of a bundle. As on Lambda, it provides Node's built-in modules, but some of them are replaced.
 * The only other module is the bundle of shared packages, if there is one.
 */
function requireOf(
  file: string,
  own: Readonly<Record<string, unknown>>,
  packages: string | undefined,
): (name: string) => unknown {
  const require = createRequire(file);
  return (name) => {
    const bare = name.replace(/^node:/, '');
    if (bare in own) return own[bare];
    if (packages && name === SHARED_PACKAGES) return sharedPackages(packages);
    if (name.startsWith('node:') || builtinModules.includes(bare)) return require(name);
    throw new Error(`Cannot find module '${name}': it is not in the bundle ${file}`);
  };
}
