/**
 * Packages that all functions of this process share, so that they are compiled and warmed up once. A package sees the
 * environment, output and modules of the function that is calling it.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { type RefuseCall, ROLE_OF_CALLER } from './role-of-caller.ts';
import { scriptOf } from './script.ts';

/** What one Lambda function gets instead of Node's globals and built-in modules. */
export interface FunctionGlobals {
  readonly process: NodeJS.Process;
  readonly console: Console;
  readonly fetch: typeof fetch;
  readonly modules: ReplacedModules;
  /** Absent if the function is not held to its role. */
  readonly refuseCall?: RefuseCall | undefined;
}

const REPLACEABLE = ['http', 'https'] as const;

/** The replacements of built-in modules, by module name without `node:`. */
export type ReplacedModules = Readonly<Partial<Record<(typeof REPLACEABLE)[number], object>>>;

/** The parameters of the function that wraps each bundle. */
export const PARAMETERS = ['exports', 'require', 'module', '__filename', '__dirname', 'process', 'console', 'fetch'];

/** The module name under which a bundle without packages requires the shared packages. */
export const SHARED_PACKAGES = 'shared-packages';

/** The name, without extension, of a function's bundle that contains no packages. A deployment uses `index` instead. */
export const OWN_BUNDLE = 'own';

/** The name of the file with the shared packages in the bundle folder. */
export const PACKAGES_FILE = 'packages.cjs';

const calling = new AsyncLocalStorage<FunctionGlobals>();

/** Runs code with the globals of a Lambda function. They also apply to everything asynchronous that the code starts. */
export const callAs = <Result>(own: FunctionGlobals, run: () => Result): Result => calling.run(own, run);

function caller(): FunctionGlobals {
  const own = calling.getStore();
  if (!own) throw new Error('A shared package ran outside a function, so it has no environment');
  return own;
}

/** The loaded packages, by file path. */
const loaded = new Map<string, unknown>();

/** The exports of the shared packages, by package name. The first call for a file evaluates it. */
export function sharedPackages(file: string): unknown {
  const known = loaded.get(file);
  if (known) return known;
  const module: { exports: unknown } = { exports: {} };
  const own = [whoseIs(process, ({ process }) => process), whoseIs(console, ({ console }) => console)];
  const send: typeof fetch = (...given) => caller().fetch(...given);
  const script = scriptOf(file, PARAMETERS).runInThisContext();
  script(module.exports, requireFor(file), module, file, dirname(file), ...own, send);
  loaded.set(file, module.exports);
  return module.exports;
}

/**
 * A proxy that reads each property from the corresponding object of the Lambda function that is currently calling the
 * package.
 */
const whoseIs = <One extends object>(one: One, ofCaller: (own: FunctionGlobals) => object): One =>
  new Proxy(one, { get: (_, name) => Reflect.get(ofCaller(caller()), name) });

const roleOfCaller = {
  refuseCall: ((target, body) => caller().refuseCall?.(target, body)) satisfies RefuseCall,
};

function requireFor(file: string): (name: string) => unknown {
  const require = createRequire(file);
  return (name) => {
    const bare = name.replace(/^node:/, '');
    if (name === ROLE_OF_CALLER) return roleOfCaller;
    if (bare === 'process') return whoseIs(process, (own) => own.process);
    const replaceable = REPLACEABLE.find((known) => known === bare);
    return replaceable ? callersModule(replaceable, require(name)) : require(name);
  };
}

/**
 * Wraps a built-in module for shared packages. Packages keep references to its functions, as in
 * `const { request } = http`, so each wrapped function looks up the module of the calling Lambda function at each call.
 */
function callersModule(name: keyof ReplacedModules, module: object): object {
  const callersOwn =
    (key: string) =>
    (...given: unknown[]) => {
      const own: unknown = Reflect.get(caller().modules[name] ?? module, key);
      return typeof own === 'function' ? Reflect.apply(own, module, given) : undefined;
    };
  const isFunction = (key: string, value: unknown) => typeof value === 'function' && /^[a-z]/.test(key);
  const entries = Object.entries(module).map(([key, value]) => [key, isFunction(key, value) ? callersOwn(key) : value]);
  return Object.fromEntries(entries);
}
