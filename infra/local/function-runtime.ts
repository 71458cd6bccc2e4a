/** Loads one bundled function as Lambda's Node runtime would: CommonJS, its own environment, its own output. */
import { Console } from 'node:console';
import { readFileSync } from 'node:fs';
import { builtinModules, createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Writable } from 'node:stream';
import { compileFunction } from 'node:vm';

/** Where a function's output goes, one call per line. */
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
  /** The folder that the deployment would zip. */
  readonly directory: string;
  /** `file.export`, as in the template. */
  readonly handler: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** Evaluates the bundle anew: two calls share no state. Throws what the bundle throws. */
export function loadHandler({ directory, handler, environment }: HandlerSource, output: FunctionOutput): Handler {
  const dot = handler.lastIndexOf('.');
  const file = join(directory, `${handler.slice(0, dot)}.js`);
  const ownProcess = processOf({ ...environment }, output);
  const module: { exports: Record<string, unknown> } = { exports: {} };
  const evaluate = compileFunction(
    readFileSync(file, 'utf8'),
    ['exports', 'require', 'module', '__filename', '__dirname', 'process', 'console'],
    { filename: file },
  );
  evaluate(module.exports, requireOf(file, ownProcess), module, file, dirname(file), ownProcess, consoleOf(ownProcess));
  const exported = module.exports[handler.slice(dot + 1)];
  if (!isHandler(exported)) throw new Error(`Runtime.HandlerNotFound: ${handler} is undefined or not exported`);
  return exported;
}

const isHandler = (value: unknown): value is Handler => typeof value === 'function';

/** The real process but for what a function could see of its host: a variable that the template lacks is missing. */
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

/** As with Lambda's JSON log format, one object is one line of JSON. */
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

/** Node's own modules only: what else a bundle asks for does not exist on Lambda either. */
function requireOf(file: string, ownProcess: NodeJS.Process): (name: string) => unknown {
  const require = createRequire(file);
  return (name) => {
    const bare = name.replace(/^node:/, '');
    if (bare === 'process') return ownProcess;
    if (name.startsWith('node:') || builtinModules.includes(bare)) return require(name);
    throw new Error(`Cannot find module '${name}': it is not in the bundle ${file}`);
  };
}
