/** Where the tests of .NET are, by assembly, class and name. */
import { replaceUnstableParts } from '#shared/reports/paths.ts';

interface DotnetName {
  readonly className: string;
  /** The name of the assembly without its ending. */
  readonly assembly: string;
  readonly name: string;
}

interface DotnetPlace {
  readonly spec: string;
  readonly title: readonly string[];
}

/** Returns the spec and the title of a test. The title is its name, without the class that the spec already names. */
export function placeClass({ className, assembly, name }: DotnetName): DotnetPlace {
  const isPrefixed = className !== '' && name.startsWith(`${className}.`);
  const shortName = isPrefixed ? name.slice(className.length + 1) : name;
  return { spec: nameSpec(className, assembly), title: [replaceUnstableParts(shortName)] };
}

/** Adds the assembly to the class, because two projects of a solution may each have a class of this name. */
function nameSpec(className: string, assembly: string): string {
  const namesAssembly = className === assembly || className.startsWith(`${assembly}.`);
  if (assembly === '' || namesAssembly) return className;
  return className === '' ? assembly : `${assembly}/${className}`;
}

/** `Shop.Tests` for `C:\project\bin\Shop.Tests.dll`. */
export const getAssemblyName = (path: string): string =>
  (path.split(/[\\/]/).at(-1) ?? '').replace(/\.(?:dll|exe)$/i, '');

/** `net8.0` for `C:\project\bin\Debug\net8.0\Shop.Tests.dll`. */
export const getTargetFramework = (path: string): string | undefined =>
  /^net(?:coreapp|standard)?\d[\w.-]{0,40}$/i.exec(path.split(/[\\/]/).at(-2) ?? '')?.[0];
