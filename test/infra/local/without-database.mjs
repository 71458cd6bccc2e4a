// Preload this module to hide the embedded database, as if it were not installed.
import Module from 'node:module';

const resolve = Module._resolveFilename;
Module._resolveFilename = function (name, ...rest) {
  if (name.startsWith('@dynoxide/')) throw new Error(`Cannot find module '${name}'`);
  return resolve.call(this, name, ...rest);
};
