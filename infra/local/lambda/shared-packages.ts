/**
 * Packages that all functions of this process share, so that they are compiled and warmed up once. A package sees the
 * environment, output and modules of the function that is calling it.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { type NoteWrite, type RefuseCall, ROLE_OF_CALLER } from './role-of-caller.ts';
import { compileScript } from './script.ts';

/** What one Lambda function gets instead of Node's globals and built-in modules. */
export interface FunctionGlobals {
  readonly process: NodeJS.Process;
  readonly console: Console;
  readonly fetch: typeof fetch;
  readonly modules: ReplacedModules;
  /** Absent if the function is not held to its role. */
  readonly refuseCall?: RefuseCall | undefined;
  readonly noteWrite?: NoteWrite | undefined;
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
export const callAs = <Result>(globals: FunctionGlobals, run: () => Result): Result => calling.run(globals, run);

function getCaller(): FunctionGlobals {
  const globals = calling.getStore();
  if (!globals) throw new Error('A shared package ran outside a function, so it has no environment');
  return globals;
}

const loaded = new Map<string, unknown>();

/** The exports of the shared packages, by package name. The first call for a file evaluates it. */
export function loadSharedPackages(file: string): unknown {
  const loadedExports = loaded.get(file);
  if (loadedExports) return loadedExports;
  const module: { exports: unknown } = { exports: {} };
  const proxies = [
    makeCallerProxy(process, ({ process }) => process),
    makeCallerProxy(console, ({ console }) => console),
  ];
  const send: typeof fetch = (...args) => getCaller().fetch(...args);
  const script = compileScript(file, PARAMETERS).runInThisContext();
  script(module.exports, makeRequire(file), module, file, dirname(file), ...proxies, send);
  loaded.set(file, module.exports);
  return module.exports;
}

/** Reads each property from the object of the Lambda function that is currently calling the package. */
const makeCallerProxy = <One extends object>(one: One, ofCaller: (globals: FunctionGlobals) => object): One =>
  new Proxy(one, { get: (_, name) => Reflect.get(ofCaller(getCaller()), name) });

const roleOfCaller = {
  refuseCall: ((target, request) => getCaller().refuseCall?.(target, request)) satisfies RefuseCall,
  noteWrite: ((request) => getCaller().noteWrite?.(request)) satisfies NoteWrite,
};

function makeRequire(file: string): (name: string) => unknown {
  const require = createRequire(file);
  return (name) => {
    const moduleName = name.replace(/^node:/, '');
    if (name === ROLE_OF_CALLER) return roleOfCaller;
    if (moduleName === 'process') return makeCallerProxy(process, (globals) => globals.process);
    const replaceable = REPLACEABLE.find((candidate) => candidate === moduleName);
    return replaceable ? wrapModule(replaceable, require(name)) : require(name);
  };
}

/**
 * Wraps a built-in module for shared packages. Packages keep references to its functions, as in
 * `const { request } = http`, so each wrapped function looks up the module of the calling Lambda function at each call.
 */
function wrapModule(name: keyof ReplacedModules, module: object): object {
  const wrapMember =
    (key: string) =>
    (...args: unknown[]) => {
      const member: unknown = Reflect.get(getCaller().modules[name] ?? module, key);
      return typeof member === 'function' ? Reflect.apply(member, module, args) : undefined;
    };
  const isFunction = (key: string, value: unknown) => typeof value === 'function' && /^[a-z]/.test(key);
  const entries = Object.entries(module).map(([key, value]) => [key, isFunction(key, value) ? wrapMember(key) : value]);
  return Object.fromEntries(entries);
}
