/** Where the tests of .NET are, by assembly, class and name. */
import { replaceUnstableParts } from '#shared/reports/paths.ts';

interface DotnetName {
  readonly className: string;
  /** The name of the assembly without its ending. */
  readonly assembly: string;
  readonly name: string;
}

/** Two projects of a solution may have a class of one name, unless its namespace already begins with the assembly. */
export function placeClass({ className, assembly, name }: DotnetName) {
  const isNamed = assembly === '' || className === assembly || className.startsWith(`${assembly}.`);
  const spec = isNamed ? className : className === '' ? assembly : `${assembly}/${className}`;
  const isPrefixed = className !== '' && name.startsWith(`${className}.`);
  return { spec, title: [replaceUnstableParts(isPrefixed ? name.slice(className.length + 1) : name)] };
}

/** `Shop.Tests` for `C:\project\bin\Shop.Tests.dll`. */
export const getAssemblyName = (path: string): string =>
  (path.split(/[\\/]/).at(-1) ?? '').replace(/\.(?:dll|exe)$/i, '');

/** `net8.0` for `C:\project\bin\Debug\net8.0\Shop.Tests.dll`. */
export const getTargetFramework = (path: string): string | undefined =>
  /^net(?:coreapp|standard)?\d[\w.-]{0,40}$/i.exec(path.split(/[\\/]/).at(-2) ?? '')?.[0];
