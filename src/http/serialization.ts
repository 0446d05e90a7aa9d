import serializers from '@fastify/fast-json-stringify-compiler'
import type { FastifySerializerCompiler } from 'fastify'

type Compile = FastifySerializerCompiler<object>

/** By schema. What is compiled depends on nothing else, and most answers of errors have the same one. */
const compiled = new WeakMap<object, ReturnType<Compile>>()

/** Compiles each schema of a response once: it takes half of a start to compile those of every status of every route. */
export function createSerializerCompiler(): Compile {
  const compile = serializers()({}, {}) as Compile
  return (route) => {
    const known = compiled.get(route.schema)
    if (known !== undefined) return known
    const serialize = compile(route)
    compiled.set(route.schema, serialize)
    return serialize
  }
}
