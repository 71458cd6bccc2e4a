/**
 * Compiles the schemas of an OpenAPI document. Test files share this module, because a compiled schema has no state.
 */
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

/** Finds the schema at a JSON pointer. The returned function says why a value is invalid. */
type Schemas = (pointer: string) => (value: unknown) => string | undefined;

const DOCUMENT = 'openapi';

/** Keyed by the text of the document, because each test file reads its own copy. */
const compiled = new Map<string, Schemas>();

/** The linter of `openapi.test.ts` checks the schemas themselves. */
export function schemasOf(document: object): Schemas {
  const text = JSON.stringify(document);
  const known = compiled.get(text) ?? compile(document);
  compiled.set(text, known);
  return known;
}

function compile(document: object): Schemas {
  const ajv = new Ajv2020({ strict: false, validateFormats: true, validateSchema: false });
  addFormats.default(ajv);
  ajv.addSchema(document, DOCUMENT);
  return (pointer) => {
    const reference = `${DOCUMENT}#${encodeURI(pointer)}`;
    const validate = ajv.getSchema(reference) ?? ajv.compile({ $ref: reference });
    return (value) => (validate(value) ? undefined : ajv.errorsText(validate.errors, { dataVar: 'the body' }));
  };
}
