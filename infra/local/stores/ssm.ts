/** A minimal Parameter Store for SecureString parameters, which survive a restart if a file is given. */

import * as z from 'zod';
import { readData, replaceFile } from '#infra/local/host/json-files.ts';
import { type Engine, serveJsonEngine } from './engine.ts';

const Parameter = z.object({
  Value: z.string(),
  Version: z.int().positive(),
  /** Only noted. The engine encrypts nothing. */
  KeyId: z.string().optional(),
});
const Parameters = z.record(z.string(), Parameter);
type Parameters = z.infer<typeof Parameters>;

/** The limits of standard parameters in the AWS Parameter Store: levels in the name, and size of the value. */
const LEVELS = 15;
const VALUE_BYTES = 4096;
const Name = z
  .string()
  .max(1011)
  .regex(/^(\/[\w.-]+)+$/)
  .refine((name) => name.split('/').length <= LEVELS + 1 && !/^\/(aws|ssm)/i.test(name));

const Put = z.object({
  Name,
  Value: z.string().min(1),
  // Rundown stores only parameters of the type SecureString, so any other type is a mistake.
  Type: z.literal('SecureString'),
  Overwrite: z.boolean().default(false),
  KeyId: z.string().startsWith('arn:').optional(),
});
const Get = z.object({ Name, WithDecryption: z.literal(true) });
const Delete = z.object({ Name });

class Fault extends Error {}

/** Starts the embedded Parameter Store. Throws `CannotStart` if the file is damaged. */
export async function startSsm(file: string | undefined): Promise<Engine> {
  const parameters: Parameters = (file === undefined ? undefined : await readData(file, Parameters, FIX)) ?? {};
  // One save at a time, because each writes the whole file.
  let lastSave = Promise.resolve();
  const save = () => {
    const next = lastSave.then(async () => void (file !== undefined && (await replaceFile(file, parameters))));
    lastSave = next.catch(() => {});
    return next;
  };
  return serveJsonEngine(
    async (target, body, { authorization = '' }) => {
      const input: unknown = JSON.parse(body || 'null');
      if (!SIGNED.test(authorization)) throw new Fault('MissingAuthenticationToken');
      return [200, await handleOperation(target, input, parameters, save)];
    },
    (error) => [
      400,
      { __type: error instanceof Fault ? error.message : 'ValidationException', message: String(error) },
    ],
  );
}

const FIX =
  'Delete it and start again: notifications and issue trackers need their credentials again, but nothing else is lost';
const SIGNED = /^AWS4-HMAC-SHA256 Credential=\S+\/ssm\/aws4_request, SignedHeaders=\S+, Signature=[\da-f]{64}$/;

async function handleOperation(target: string, input: unknown, parameters: Parameters, save: () => Promise<void>) {
  switch (target) {
    case 'AmazonSSM.PutParameter': {
      const { Name: name, Value, Overwrite, KeyId } = Put.parse(input);
      const parameter = parameters[name];
      if (parameter && !Overwrite) throw new Fault('ParameterAlreadyExists');
      if (Buffer.byteLength(Value) > VALUE_BYTES) throw new Fault('ValidationException');
      const Version = (parameter?.Version ?? 0) + 1;
      parameters[name] = { Value, Version, ...(KeyId === undefined ? {} : { KeyId }) };
      await save();
      return { Tier: 'Standard', Version };
    }
    case 'AmazonSSM.GetParameter': {
      const { Name: name } = Get.parse(input);
      const { Value, Version } = parameters[name] ?? refuseMissing();
      const ARN = `arn:aws:ssm:us-east-1:000000000000:parameter${name}`;
      return { Parameter: { ARN, DataType: 'text', Name: name, Type: 'SecureString', Value, Version } };
    }
    case 'AmazonSSM.DeleteParameter': {
      const { Name: name } = Delete.parse(input);
      if (!parameters[name]) refuseMissing();
      delete parameters[name];
      await save();
      return {};
    }
    default:
      throw new Fault('UnknownOperationException');
  }
}

function refuseMissing(): never {
  throw new Fault('ParameterNotFound');
}
