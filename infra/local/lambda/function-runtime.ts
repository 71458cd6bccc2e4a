/** Loads one bundled function as Lambda's Node runtime does: CommonJS, with separate environment and output. */
import { Console } from 'node:console';
import { builtinModules, createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Writable } from 'node:stream';
import { scriptOf } from './script.ts';

/** Receives a function's output, one call per line. */
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

export type Handler = (event: unknown, context: InvocationContext) => unknown;

interface HandlerSource {
  /** The folder that a deployment would zip. */
  readonly directory: string;
  /** The handler as the template names it: `file.export`. */
  readonly handler: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Replacements of Node's modules, by their names without `node:`. */
  readonly modules?: Readonly<Record<string, unknown>>;
  readonly fetch?: typeof fetch;
}

/** Evaluates the bundle again: two calls share no state. Throws the bundle's errors. */
export function loadHandler(
  { directory, handler, environment, modules = {}, fetch = globalThis.fetch }: HandlerSource,
  output: FunctionOutput,
): Handler {
  const dot = handler.lastIndexOf('.');
  const file = join(directory, `${handler.slice(0, dot)}.js`);
  const ownProcess = processOf({ ...environment }, output);
  const module: { exports: Record<string, unknown> } = { exports: {} };
  scriptOf(file, PARAMETERS).runInThisContext()(
    module.exports,
    requireOf(file, { ...modules, process: ownProcess }),
    module,
    file,
    dirname(file),
    ownProcess,
    consoleOf(ownProcess),
    fetch,
  );
  const exported = module.exports[handler.slice(dot + 1)];
  if (!isHandler(exported)) throw new Error(`Runtime.HandlerNotFound: ${handler} is undefined or not exported`);
  return exported;
}

const PARAMETERS = ['exports', 'require', 'module', '__filename', '__dirname', 'process', 'console', 'fetch'];

const isHandler = (value: unknown): value is Handler => typeof value === 'function';

/** Hides the host's environment. A variable that the template lacks is missing here, too. */
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

/** One object is one line of JSON, as in Lambda's JSON log format. */
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
      sink(String(chunk).trimEnd());
      done();
    },
  });
}

/** Provides Node's own modules only. Lambda has no other modules either. */
function requireOf(file: string, own: Readonly<Record<string, unknown>>): (name: string) => unknown {
  const require = createRequire(file);
  return (name) => {
    const bare = name.replace(/^node:/, '');
    if (bare in own) return own[bare];
    if (name.startsWith('node:') || builtinModules.includes(bare)) return require(name);
    throw new Error(`Cannot find module '${name}': it is not in the bundle ${file}`);
  };
}
