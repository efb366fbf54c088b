class CreateRecommender < ActiveRecord::Migration[6.0]
  def up
    execute <<~SQL
      SELECT dlints_create_recommender('lists', 'product', '{category,brand,price}', candidates => 'i.in_stock')
      WHERE  EXISTS (SELECT FROM product)
    SQL
  end

  def down
    execute 'DROP SCHEMA IF EXISTS lists CASCADE'
  end
end
