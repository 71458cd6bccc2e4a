/**
 * Compiles the schemas of an OpenAPI document. Test files may share the compiled schemas, because these have no state.
 */
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

/**
 * Finds the schema at a JSON pointer. Returns a function that says why a value is invalid, or `undefined` for a valid
 * value.
 */
type Schemas = (pointer: string) => (value: unknown) => string | undefined;

const DOCUMENT = 'openapi';

/** Compiled schemas by the text of their document, because each test file has its own copy of the document. */
const compiled = new Map<string, Schemas>();

/** Does not validate the schemas themselves, because the linter in `openapi.test.ts` validates them. */
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
