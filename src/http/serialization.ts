import serializers from '@fastify/fast-json-stringify-compiler'
import type { FastifySerializerCompiler } from 'fastify'
import { whenCalled } from './when-called.ts'

type Compile = FastifySerializerCompiler<object>

/** By schema. What is compiled depends on nothing else, and most answers of errors have the same one. */
const compiled = new WeakMap<object, ReturnType<Compile>>()

/**
 * Compiles each schema of a response once, when the first answer has it: compiling those of every status of every route takes half
 * of a start.
 */
export function createSerializerCompiler(): Compile {
  const compile = serializers()({}, {}) as Compile
  return (route) => {
    const serialize = compiled.get(route.schema) ?? whenCalled(() => compile(route))
    compiled.set(route.schema, serialize)
    return serialize
  }
}
