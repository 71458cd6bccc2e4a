/** Leaves out of a source file what a function does not need. */
import { parseSync, Visitor } from 'oxc-parser';

/**
 * Blanks the exported constants of a source file whose names are not in `names`, and the constants and functions that
 * only those use. Lines keep their numbers. Imports stay, because esbuild drops the unused ones of TypeScript files.
 */
export function keepExports(file: string, text: string, names: ReadonlySet<string>): string {
  let keptText = text;
  const blank = (statement: Statement) => {
    const blanks = text.slice(statement.start, statement.end).replaceAll(/[^\n]/g, ' ');
    keptText = keptText.slice(0, statement.start) + blanks + keptText.slice(statement.end);
  };
  const statements = parseSync(file, text).program.body.flatMap(readNamedStatement);
  for (const statement of statements) if (statement.isExported && !names.has(statement.name)) blank(statement);
  let rest = statements.filter(({ isExported }) => !isExported);
  const listUnused = () => rest.filter(({ name }) => countIdentifiers(file, keptText, name) === 1);
  // What only an unused statement uses becomes unused in the next round.
  for (let unusedStatements = listUnused(); unusedStatements.length > 0; unusedStatements = listUnused()) {
    for (const statement of unusedStatements) blank(statement);
    rest = rest.filter((statement) => !unusedStatements.includes(statement));
  }
  return keptText;
}

function countIdentifiers(file: string, text: string, name: string): number {
  let count = 0;
  const visitor = new Visitor({
    Identifier: (node) => {
      if (node.name === name) count += 1;
    },
  });
  visitor.visit(parseSync(file, text).program);
  return count;
}

type Statement = { readonly start: number; readonly end: number };
type Body = ReturnType<typeof parseSync>['program']['body'][number];

function readNamedStatement(statement: Body): (Statement & { readonly name: string; readonly isExported: boolean })[] {
  const { start, end } = statement;
  const isExported = statement.type === 'ExportNamedDeclaration';
  const declaration = isExported ? statement.declaration : statement;
  if (declaration?.type === 'FunctionDeclaration' && declaration.id && !isExported)
    return [{ start, end, name: declaration.id.name, isExported }];
  if (declaration?.type !== 'VariableDeclaration') return [];
  const [constant] = declaration.declarations;
  if (constant?.id.type !== 'Identifier') return [];
  return [{ start, end, name: constant.id.name, isExported }];
}
