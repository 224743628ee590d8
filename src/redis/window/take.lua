local found = redis.call('get', KEYS[1])
if not found then return false end
local taker, text = string.match(found, '^@(%S+) (.*)$')
if taker == ARGV[1] then return text end
if taker then return false end
if ARGV[1] == '' then
  redis.call('del', KEYS[1])
else
  redis.call('set', KEYS[1], '@' .. ARGV[1] .. ' ' .. found, 'EX', 10)
end
return found
